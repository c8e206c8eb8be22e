/* verdict.h - what came of the states: plain data that the runner fills and the reports show. */
#ifndef TRACE_VERDICT_H
#define TRACE_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tree.h"

enum model_kind { MODEL_KILL, MODEL_TORN, MODEL_COUNT };

/* "kill", "torn". */
const char *model_name(enum model_kind model);

enum { STATE_ID_SIZE = 17 }; /* 16 hex digits and a NUL; people may give the first 10 */

/* One crash state that is to be checked, or was. */
struct state {
    char id[STATE_ID_SIZE];
    enum model_kind model;
    uint32_t op;           /* crash point: ops [0, op) are whole */
    uint64_t variant;      /* 0: nothing of ops[op]; else what the model says (torn: bytes of it) */
    uint32_t recovery;     /* 0: the worker crashed. Else its recovery did, too: one more than the
                              recovery's number in the trace; op counts the ops of that one */
    struct tree_hash hash; /* of the tree and of its promises */
    uint64_t acked_bytes;  /* promises: bytes on stdout ... */
    uint32_t sent_messages;      /* ... and messages on sockets */
    uint32_t pairs[MODEL_COUNT]; /* how many (crash point, variant) of each model equal it; `model`
                                    is the first that has any */
};

enum verdict_kind {
    VERDICT_NONE, /* not checked */
    VERDICT_HELD,
    VERDICT_VIOLATED,
    VERDICT_CRASHED, /* recovery or check was ended by a signal */
    VERDICT_HUNG,    /* recovery or check ran into its time limit */
    VERDICT_FLAKY,   /* two runs on the same state gave two answers */
    VERDICT_COUNT
};
const char *verdict_name(enum verdict_kind kind);

enum { VERDICT_OUTPUT_MAX = 65536 };

struct verdict {
    uint32_t state; /* index in the run's table of states */
    enum verdict_kind kind;
    int recover_status; /* wait status; -1: not run */
    int check_status;   /* wait status; -1: not run */
    int64_t elapsed_ns;
    char *output; /* of recovery and check together, at most VERDICT_OUTPUT_MAX bytes; only of
                     states that did not hold; may hold any byte but NUL */
    char *why;    /* one line: "check exited with 1", "recovery: killed by signal 11" */
};

/* Counted for one model. Pairs are (crash point, variant) before equal states are merged. */
struct model_counts {
    uint64_t legal; /* pairs that exist */
    bool legal_is_bound;
    uint64_t tried;    /* pairs whose state was checked, itself or as an equal one */
    uint64_t distinct; /* different states among them */
    uint64_t violated, crashed, hung, flaky;
    uint64_t known; /* depth 2: pairs, counted in tried, whose state depth 1 has checked */
};

struct verified {
    uint64_t seed;
    uint32_t tried, equal, same_shape, unstable;
    char skipped[160]; /* why nothing, or less, was tried; "" otherwise */
};

enum canary { CANARY_OFF, CANARY_NOTICED, CANARY_UNNOTICED };

/* One cause behind any number of violated states. */
struct finding {
    char id[16];             /* "F1" */
    char key[STATE_ID_SIZE]; /* stable name: hash of call, path pattern, function, missing step */
    enum model_kind weakest;
    uint64_t states;
    unsigned depth;             /* 2: about an op of a recovery, which was killed too; else 1 */
    char first[STATE_ID_SIZE];  /* depth 2: id of the crash state that the recovery began on, ... */
    char *first_is;             /* ... and what that state is */
    char *op_is;                /* depth 2: what the op did, for it stands in no trace of the run */
    uint32_t op;                /* index in the trace; depth 2: in the ops of the recovery */
    char *call;                 /* "rename" */
    char *path;                 /* relative to the workspace */
    char *where;                /* "store.c:214 save", or NULL */
    char *missing;              /* the step that was missing, or NULL */
    char *sentence;             /* what happened and what can cause it */
    char *cause;                /* what can cause such a crash state, for torn; or NULL */
    char replay[STATE_ID_SIZE]; /* id of the state to replay */
    char *why;                  /* why of that state's verdict */
    char *output;               /* output of that state's verdict */
};

enum run_result { RUN_HELD, RUN_VIOLATED, RUN_PARTIAL };

/* A whole exploration, as the reports see it. */
struct run {
    const struct trace *trace;
    struct state *states;
    size_t states_count;
    struct verdict *verdicts; /* one for each state */
    struct model_counts models[MODEL_COUNT];
    bool model_wanted[MODEL_COUNT];
    uint64_t checked; /* different states that were checked, over all models */
    struct verified verified;
    enum canary canary;
    bool complete; /* false: --max-time or an interrupt ended it early */
    int64_t elapsed_ns;
    char **notes; /* besides those of the trace */
    size_t notes_count;
    struct finding *findings;
    size_t findings_count;
    const char *out; /* the output folder, as the user named it */
    char *recover;   /* the commands, as given; NULL: none */
    char *check;
    struct run *second; /* borrowed: the crashes of the recovery (--depth 2), a run of its own; its
                           findings stand here with the others. NULL: depth 1 */
};

void run_fini(struct run *run);

/* violated + crashed + hung, over all models and depths. */
uint64_t run_violations(const struct run *run);

/* Different states that were checked, over all models and depths. */
uint64_t run_checked(const struct run *run);
enum run_result run_result(const struct run *run);

#endif
