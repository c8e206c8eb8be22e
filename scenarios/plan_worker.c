#include <stdlib.h>
#include <string.h>

#include "plan_reader.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { COUNT_MAX = 256, ORDERS_MAX = 100000, PORT_MAX = 65535 };

/* A call is meant, wherever it is made; not a moment of the run. */
static bool is_plain(const struct barrier *barrier)
{
    return !barrier->contains.text && !barrier->covers.text && barrier->nth == 1 &&
           barrier->where == BARRIER_BEFORE && !barrier->want_sync && !barrier->does_exit;
}

static bool read_also(struct plan *plan, const struct part *locks, struct err *err)
{
    const char *words = NULL;
    struct err why = {0};
    if (!part_text(locks, "also", &words, err))
        return false;
    if (!words)
        return true;
    plan->worker.also = plan_block(plan, 1, sizeof *plan->worker.also);
    if (!barrier_parse(words, plan->worker.also, &why))
        return part_fault_at(locks, "also", err, "%.300s", why.text);
    return is_plain(plan->worker.also) ||
           part_fault_at(locks, "also", err, "allowed are a call, path and peer");
}

static bool read_locks(struct plan *plan, const struct part *worker, struct err *err)
{
    static const char *const keys[] = {"orders", "seed", "also", NULL};
    struct plan_worker *out = &plan->worker;
    const struct part_range orders_range = {1, ORDERS_MAX};
    const struct part_range seeds = {0, INT64_MAX};
    struct where where;
    const struct part locks = part_member(worker, "locks", &where);
    int64_t orders = 1;
    int64_t seed = 1;
    out->orders = 1;
    if (!locks.json)
        return true;
    if (!part_keys(&locks, keys, err) ||
        !part_number(&locks, "orders", orders_range, &orders, err) ||
        !part_number(&locks, "seed", seeds, &seed, err))
        return false;
    if (out->count < 2)
        return part_fault(&locks, err, "needs several processes; give \"count\" as well");
    out->has_locks = true;
    out->orders = (uint32_t)orders;
    out->seed = (uint64_t)seed;
    return read_also(plan, &locks, err);
}

bool plan_read_worker(struct plan *plan, const struct part *scenario, struct err *err)
{
    static const char *const keys[] = {"argv",   "env",    "stdin", "timeout", "exit", "signal",
                                       "stdout", "stderr", "count", "locks",   NULL};
    const struct part_range counts = {1, COUNT_MAX};
    struct plan_worker *out = &plan->worker;
    struct where where;
    const struct part worker = part_member(scenario, "worker", &where);
    int64_t count = 1;
    out->count = 1;
    out->orders = 1;
    if (!worker.json)
        return true;
    if (!part_keys(&worker, keys, err) || !part_needs(&worker, "argv", err) ||
        !plan_read_command(plan, &worker, &out->command, err) ||
        !plan_read_end(&worker, &out->end, err) ||
        !plan_read_text(plan, &worker, "stdout", &out->out, err) ||
        !plan_read_text(plan, &worker, "stderr", &out->error, err) ||
        !part_number(&worker, "count", counts, &count, err))
        return false;
    out->count = (uint32_t)count;
    return read_locks(plan, &worker, err);
}

/* {"line": TEXT}, {"port": N} or {"http": PATH, "port": N} */
static bool read_ready(const struct part *service, struct plan_service *out, struct err *err)
{
    static const char *const keys[] = {"line", "port", "http", NULL};
    const struct part_range ports = {1, PORT_MAX};
    struct where where;
    const struct part ready = part_member(service, "ready", &where);
    int64_t port = 0;
    if (!ready.json)
        return true;
    if (!part_keys(&ready, keys, err) || !part_text(&ready, "line", &out->line, err) ||
        !part_number(&ready, "port", ports, &port, err) ||
        !part_text(&ready, "http", &out->path, err))
        return false;
    out->port = (uint16_t)port;
    if (out->line && !out->path && port == 0) {
        out->ready = READY_LINE;
        return true;
    }
    if (out->line || port == 0 || (out->path && out->path[0] != '/'))
        return part_fault(&ready, err, "allowed are {line}, {port}, or {http: \"/PATH\", port}");
    out->ready = out->path ? READY_HTTP : READY_PORT;
    return true;
}

static bool read_service(struct plan *plan, const struct part *part, struct plan_service *out,
                         struct err *err)
{
    static const char *const keys[] = {"name",    "argv",  "env",   "stdin",
                                       "timeout", "ready", "reset", NULL};
    if (!part_keys(part, keys, err) || !part_needs(part, "name", err) ||
        !part_text(part, "name", &out->name, err) || !part_needs(part, "argv", err) ||
        !plan_read_command(plan, part, &out->command, err) ||
        !plan_read_words(plan, part, "reset", &out->reset, err))
        return false;
    if (*out->name == '\0' || strchr(out->name, '/') || out->name[0] == '.')
        return part_fault_at(part, "name", err, "is no name for a folder");
    return read_ready(part, out, err);
}

bool plan_read_services(struct plan *plan, const struct part *scenario, struct err *err)
{
    size_t count = 0;
    struct where where;
    const struct part list = part_member(scenario, "services", &where);
    if (!part_count(scenario, "services", &count, err))
        return false;
    plan->services = plan_block(plan, count + 1, sizeof *plan->services);
    for (size_t i = 0; i < count; i++) {
        struct where item_where;
        const struct part item = part_item(&list, i, &item_where);
        if (!read_service(plan, &item, &plan->services[i], err))
            return false;
        plan->services_count++;
    }
    return true;
}
