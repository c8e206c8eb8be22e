/* ended.h - a process of a run that has ended: how, what it said, and what it did if recorded. */
#ifndef SCENARIOS_ENDED_H
#define SCENARIOS_ENDED_H

#include <sys/types.h>

#include "assertions.h"
#include "plan.h"
#include "tracer/trace/trace.h"

struct ended_text {
    char *bytes; /* with a NUL behind */
    size_t size;
};

struct ended {
    bool is_set;
    bool has_timed_out; /* it was killed */
    bool has_trace;
    pid_t pid;
    int status; /* wait status */
    struct ended_text out, error;
    struct trace trace;
};

void ended_fini(struct ended *ended);

/* "exit 0", "signal 9", "did not end in time". Caller frees. */
char *ended_words(const struct ended *ended);
char *ended_words_of(const struct plan_end *end);

/* How a process ended, as an assertion "NAME: exit" (or signal). */
void ended_check(const struct ended *ended, const char *name, const struct plan_end *expected,
                 struct assertions *assertions);

/* What a stream holds, as assertions; nothing when nothing is expected. */
void ended_check_text(const struct ended_text *text, const char *name, const char *stream,
                      const struct plan_text *expected, struct assertions *assertions);

/* Reads all of a descriptor's file, from its beginning. */
MUST_USE bool ended_take_text(int fd, struct ended_text *out, struct err *err);

#endif
