/* robust_place.h - lock words in files that the kernel itself changes when their holder dies.
 *
 * A robust mutex (set_robust_list(2)) in a shared mapping holds the number of the thread that holds
 * it. When that thread dies, however it dies, the kernel stores FUTEX_OWNER_DIED in place of the
 * number, so that the next who wants the lock learns of it. No system call of the worker shows that
 * store; what a death would change is therefore noted while recording, and applied to each state in
 * which the worker dies. Words that no robust list leads to, the kernel leaves as they are. */
#ifndef TRACE_ROBUST_PLACE_H
#define TRACE_ROBUST_PLACE_H

#include "trace.h"

/* What a holder's death leaves in a word: without waiters and with them. */
struct robust_words {
    uint32_t alone, awaited;
};

/* One word and one thread that has held it. */
struct robust_place {
    uint64_t offset;  /* in the file */
    uint64_t payload; /* where a struct robust_words lies in the payload file */
    uint32_t node;
    uint32_t tid;      /* of the holder as it stands in the word: as the holder itself sees it */
    uint32_t thread;   /* the holder in the trace's table of threads */
    uint32_t from, to; /* a death at position k changes the word if from <= k <= to */
    uint32_t recovery; /* 0: of the worker; else of this recovery, plus one */
};

/* Whether the death of the thread `tid` changes a word, and to what. */
bool robust_place_dies(uint32_t word, uint32_t tid, uint32_t *out);

/* The store that the kernel makes when the holder dies in a workspace with this word; false: none.
 * k: how many ops are done. */
bool robust_place_store(const struct robust_place *place, uint32_t word, uint32_t k,
                        struct op *out);

/* The places of the worker (recovery 0) or of a recovery (its number plus one): a part of
 * trace->robust, which is in order of recoveries. */
const struct robust_place *robust_places(const struct trace *trace, uint32_t recovery,
                                         uint32_t *count);

#endif
