/* plan.h - what one run of a case does and expects: a scenario with all its parameters filled in.
 *
 * Plain data, read-only once it is read. Strings are borrowed from the plan's JSON, arrays from its
 * blocks; both live as long as the plan. docs/scenarios.md says what each key means. */
#ifndef SCENARIOS_PLAN_H
#define SCENARIOS_PLAN_H

#include <jansson.h>
#include <stdint.h>

#include "part.h"
#include "plan_check.h"
#include "tracer/trace/barrier.h"

/* What a stream is expected to hold. */
struct plan_text {
    bool is_set;
    const char *equals;
    const char *contains;
    const char *matches;          /* extended regular expression */
    const char *const *any_order; /* its lines, in any order */
};

/* A program to start. argv[0] is a name in PATH or an absolute path. */
struct plan_command {
    const char *const *argv;
    const char *const *environment; /* K=V; NULL-terminated, or NULL */
    const char *input;              /* stdin; NULL: /dev/null */
    int64_t timeout_ns;
};

struct plan_end {
    bool is_set;
    int signal; /* 0: it exits */
    int exit;
};

struct plan_worker {
    struct plan_command command; /* argv NULL: there is no worker */
    struct plan_end end;         /* not set: what the barrier does, or exit 0 */
    struct plan_text out, error;
    uint32_t count;  /* started together */
    bool has_locks;  /* their lock calls are held and released in a chosen order */
    uint32_t orders; /* how many different orders: each is a run */
    uint64_t seed;
    struct barrier *also; /* a call at which they are held as well; NULL: none */
};

enum plan_damage_kind { DAMAGE_NONE, DAMAGE_FLIP, DAMAGE_CUT, DAMAGE_PAD, DAMAGE_PUT };
struct plan_damage {
    const char *path; /* in the workspace */
    enum plan_damage_kind kind;
    uint64_t at;         /* bit to flip, size to cut or pad to, place of the bytes */
    const uint8_t *data; /* bytes to put */
    size_t size;
};

struct plan_step {
    const char *name;
    struct plan_command command; /* argv NULL: it does damage */
    struct plan_damage damage;
    struct plan_end end; /* not set: exit 0 */
    struct plan_text out, error;
    bool want_trace;
    uint32_t repeat;
};

/* All crash states of the worker, instead of one. */
struct plan_explore {
    bool is_set;
    const char *models; /* "kill,torn" */
    int64_t depth, budget, verify, seed;
    int64_t timeout_ns;         /* for all of it */
    const char *const *recover; /* NULL: none */
    const char *const *check;
    json_t *counts; /* places in summary.json and the numbers there, or NULL */
};

enum plan_ready { READY_AT_ONCE, READY_LINE, READY_PORT, READY_HTTP };
struct plan_service {
    const char *name;
    struct plan_command command;
    enum plan_ready ready;
    const char *line; /* part of a line on its stdout or stderr */
    uint16_t port;
    const char *path;         /* of the HTTP request */
    const char *const *reset; /* command between two runs; NULL: it is started anew */
};

/* A named halting place; words: as it stands on the command line. */
struct plan_barrier {
    const char *name;
    const char *words;
    struct barrier barrier;
};

struct plan {
    const char *name;
    const char *init;  /* absolute path, or NULL */
    const char *setup; /* shell command, or NULL */
    struct plan_worker worker;
    struct plan_explore explore;
    struct plan_barrier *barriers;
    size_t barriers_count;
    const struct plan_barrier *crash; /* NULL: the worker runs to its end */
    struct plan_service *services;
    size_t services_count;
    struct plan_step *steps;
    size_t steps_count;
    struct plan_check *checks;
    size_t checks_count;
    const char *violated; /* the assertion that is expected to fail; NULL: none */
    json_t *json;         /* of the filled scenario */
    void **blocks;
    size_t blocks_count, blocks_capacity;
};

/* Reads the scenario with all its values. Every mistake is an ERR_USAGE that names its place. */
MUST_USE bool plan_read(const struct source *source, const json_t *values, struct plan *out,
                        struct err *err);
void plan_fini(struct plan *plan);

/* Whether it expects anything that was written down. */
bool plan_has_assertion(const struct plan *plan);

/* The step of a name, or NULL. */
const struct plan_step *plan_step_find(const struct plan *plan, const char *name);

#endif
