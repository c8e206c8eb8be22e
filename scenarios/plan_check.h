/* plan_check.h - what is looked at in the middle of a run, or after it: plain data. */
#ifndef SCENARIOS_PLAN_CHECK_H
#define SCENARIOS_PLAN_CHECK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum plan_check_kind {
    CHECK_COMMAND,
    CHECK_FILE,
    CHECK_PROCESS,
    CHECK_SQL,
    CHECK_JSONL,
    CHECK_TRACE,
    CHECK_KIND_COUNT
};

struct plan_step;

struct plan_check_file {
    const char *path; /* in the workspace, or absolute */
    bool has_absent, is_absent;
    bool has_size;
    int64_t size;
    const char *bytes;  /* hexadecimal digits; NULL: not asked, as the rest */
    const char *sha256; /* the same */
    const char *equals; /* paths of other files */
    const char *prefix_of;
    const char *unchanged; /* since which moment */
};

struct plan_check_process {
    const char *of; /* "worker" or a step */
    bool has_end;
    int signal, exit;    /* signal 0: it exits */
    const char *differs; /* whose pid must be another one; NULL: not asked */
};

struct plan_check_sql {
    const char *database, *query;
    json_t *rows; /* an array of arrays */
};

struct plan_check_jsonl {
    const char *of; /* whose stream, or NULL */
    bool is_stderr;
    const char *file;   /* instead of a stream */
    json_t *where;      /* members that a line must have; NULL: all lines */
    const char *select; /* a member; NULL: whole lines */
    bool has_count;
    int64_t count;
    json_t *equals; /* an array of what was selected; NULL: not asked */
};

enum plan_trace_ask { TRACE_NONE, TRACE_COUNT, TRACE_ORDER };
struct plan_check_trace {
    const char *of;
    enum plan_trace_ask ask;
    const char *const *ops; /* in a barrier's words; NULL-terminated */
    const char *after;      /* only what comes after the first such op; NULL: all */
    int64_t at_least, at_most;
};

struct plan_check {
    const char *name;
    const char *at; /* moment: "start", "halt", a step's name, "end", or "last" */
    enum plan_check_kind kind;
    struct plan_step *command; /* as a step of its own */
    struct plan_check_file file;
    struct plan_check_process process;
    struct plan_check_sql sql;
    struct plan_check_jsonl jsonl;
    struct plan_check_trace trace;
};

#endif
