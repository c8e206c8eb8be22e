/* recording_test.h - one recorded run for a test, held against the folder it left behind. */
#ifndef PTRACE_RECORDING_TEST_H
#define PTRACE_RECORDING_TEST_H

#include "record.h"
#include "tracer/trace/snapshot.h"

struct recording {
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
void recording_init(struct recording *recording, const char *setup);
void recording_fini(struct recording *recording);

/* Runs the command line (NULL-terminated); true when it was recorded. */
bool recording_run(struct recording *recording, const char *const argv[]);
bool recording_shell(struct recording *recording, const char *command);

/* Builds a C worker in the temporary directory; its path (the caller frees). */
char *recording_compile(const struct recording *recording, const char *source);

/* NULL when ops [0, count) and `bytes` bytes of the next give the folder on disk; else the first
 * difference (the caller frees). */
char *recording_difference(struct recording *recording, uint32_t count, uint64_t bytes);

/* The n-th op of the kind that the worker made, or NULL. n counts from 0. */
const struct op *recording_op(const struct recording *recording, enum op_kind kind, unsigned n);
unsigned recording_count(const struct recording *recording, enum op_kind kind);

/* Whether a note has this text in it. */
bool recording_has_note(const struct recording *recording, const char *text);

#endif
