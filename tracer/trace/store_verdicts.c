#include <stdlib.h>
#include <string.h>

#include "store.h"
#include "store_query.h"
#include "tracer/base/mem.h"

/* Verdicts of one transaction. More would lose more when brink is killed, and save nothing. */
enum { BATCH = 200 };

bool store_put_verdict(struct store *store, const struct verdict *verdict, struct err *err)
{
    if (!store->put_verdict.statement &&
        !query_open(store, "INSERT OR REPLACE INTO verdict VALUES(?,?,?,?,?,?,?)",
                    &store->put_verdict, err))
        return false;
    if (store->batched == 0 && !store_run_sql(store, "BEGIN", err))
        return false;
    store->batched++;
    struct query *query = &store->put_verdict;
    query_put(query, verdict->state);
    query_put_text(query, verdict_name(verdict->kind));
    query_put(query, (uint64_t)(int64_t)verdict->recover_status);
    query_put(query, (uint64_t)(int64_t)verdict->check_status);
    query_put(query, (uint64_t)verdict->elapsed_ns);
    query_put_text(query, verdict->output);
    query_put_text(query, verdict->why);
    if (!query_done(query, err))
        return false;
    return store->batched < BATCH || store_flush(store, err);
}

bool store_flush(struct store *store, struct err *err)
{
    if (store->batched == 0)
        return true;
    store->batched = 0;
    return store_run_sql(store, "COMMIT", err);
}

static bool kind_of(const char *name, enum verdict_kind *out)
{
    for (int i = 0; i < VERDICT_COUNT; i++) {
        if (strcmp(name, verdict_name((enum verdict_kind)i)) == 0) {
            *out = (enum verdict_kind)i;
            return true;
        }
    }
    return false;
}

static struct verdict *empty_verdicts(size_t count)
{
    struct verdict *verdicts = mem_new(count, sizeof *verdicts);
    for (size_t i = 0; i < count; i++) {
        verdicts[i] =
            (struct verdict){.state = (uint32_t)i, .recover_status = -1, .check_status = -1};
    }
    return verdicts;
}

/* A table while it is being read, so that it goes when something fails. */
struct table {
    struct verdict *verdicts;
    size_t count;
};

static void table_fini(struct table *table)
{
    for (size_t i = 0; table->verdicts && i < table->count; i++) {
        free(table->verdicts[i].output);
        free(table->verdicts[i].why);
    }
    free(table->verdicts);
}

static bool take_verdict(struct query *query, struct table *table)
{
    const uint64_t number = query_take(query);
    if (number >= table->count)
        return false;
    struct verdict *verdict = &table->verdicts[number];
    const bool has_kind = kind_of(query_borrow_text(query), &verdict->kind);
    verdict->recover_status = (int)query_take(query);
    verdict->check_status = (int)query_take(query);
    verdict->elapsed_ns = (int64_t)query_take(query);
    verdict->output = query_take_text(query);
    verdict->why = query_take_text(query);
    return has_kind;
}

bool store_read_verdicts(struct store *store, size_t count, struct verdict **out, struct err *err)
{
    static const char sql[] = "SELECT state, kind, recover_status, check_status, elapsed_ns,"
                              " output, why FROM verdict";
    struct query query OWN(query_close) = {0};
    struct table table OWN(table_fini) = {.verdicts = empty_verdicts(count), .count = count};
    if (!query_open(store, sql, &query, err))
        return false;
    for (;;) {
        bool has_row = false;
        if (!query_next(&query, &has_row, err))
            return false;
        if (!has_row)
            break;
        if (!take_verdict(&query, &table))
            return store_damaged("its table of verdicts", err);
    }
    *out = table.verdicts;
    table.verdicts = NULL;
    return true;
}
