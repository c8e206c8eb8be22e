/* trial_test.h - one recorded run for a test, held against the folder it left behind. */
#ifndef PTRACE_TRIAL_TEST_H
#define PTRACE_TRIAL_TEST_H

#include "record.h"
#include "tracer/trace/snapshot.h"

struct trial {
    char *dir; /* temporary; the workspace is "w" in it */
    char *workspace;
    int workspace_fd;
    struct record_options options;
    struct trace trace;
    struct trace_writer writer;
    struct snapshot_items items;
    enum record_end end;
    struct err err;
};

/* A new workspace, with what the shell command makes in it before the recording (NULL: nothing). */
void trial_init(struct trial *recording, const char *setup);
void trial_fini(struct trial *recording);

/* Runs the command line (NULL-terminated); true when it was recorded. */
bool trial_run(struct trial *recording, const char *const argv[]);
bool trial_shell(struct trial *recording, const char *command);

/* Builds a C worker in the temporary directory; its path (the caller frees). */
char *trial_compile(const struct trial *recording, const char *source);

/* NULL when ops [0, count) and `bytes` bytes of the next give the folder on disk; else the first
 * difference (the caller frees). */
char *trial_difference(struct trial *recording, uint32_t count, uint64_t bytes);

/* The n-th op of the kind that the worker made, or NULL. n counts from 0. */
const struct op *trial_op(const struct trial *recording, enum op_kind kind, unsigned n);
unsigned trial_count(const struct trial *recording, enum op_kind kind);

/* Whether a note has this text in it. */
bool trial_has_note(const struct trial *recording, const char *text);

#endif
