/* ledger.h - the service's own database: what was computed, what was done, and who asked.
 *
 * SQLite in WAL mode with synchronous=FULL: what a function has returned from is durable. A row of
 * the audit is written in the same transaction as what it tells of. Calls must not overlap. */
#ifndef TICKET_LEDGER_H
#define TICKET_LEDGER_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "digest.h"
#include "fail.h"

struct ledger {
    sqlite3 *db; /* NULL: closed */
};

/* One HTTP request that was answered. The texts may be NULL. */
struct ledger_audit {
    const char *kind; /* CLASSIFY, LOOKUP, ACTION */
    const char *job_id;
    const char *action_id;
    int status;
    const char *outcome;
    const void *body; /* as received */
    size_t body_size;
};

struct ledger_computation {
    const char *job_id;
    const char *ticket_id;
    const char *title;
    const char *classification;
};

struct ledger_effect {
    const char *action_id;
    const char *job_id;
    const void *payload;
    size_t payload_size;
    const char *payload_digest;
    const char *receipt;
    int64_t committed_at_ms;
    void (*before_commit)(void); /* NULL, or called with all rows in the open transaction */
};

/* What is there under an action id. */
struct ledger_found {
    bool is_there;
    char payload_digest[DIGEST_SIZE + 1];
    char *receipt; /* to be freed */
};

bool ledger_open(struct ledger *ledger, const char *path, struct fail *fail);
void ledger_close(struct ledger *ledger);

bool ledger_count_computations(struct ledger *ledger, const char *job_id, int *count,
                               struct fail *fail);
bool ledger_compute(struct ledger *ledger, const struct ledger_computation *computation,
                    const struct ledger_audit *audit, struct fail *fail);

/* The caller has made sure that nothing is there under the action id. */
bool ledger_act(struct ledger *ledger, const struct ledger_effect *effect,
                const struct ledger_audit *audit, struct fail *fail);
bool ledger_find(struct ledger *ledger, const char *action_id, struct ledger_found *found,
                 struct fail *fail);
bool ledger_note(struct ledger *ledger, const struct ledger_audit *audit, struct fail *fail);

/* Empties all tables. */
bool ledger_reset(struct ledger *ledger, struct fail *fail);

#endif
