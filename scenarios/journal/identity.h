/* identity.h - whether an operation was done before: the key is its identity, the body its content.
 *
 * The memory of this is the journal itself, record by record, and so survives the process. */
#ifndef JOURNAL_IDENTITY_H
#define JOURNAL_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "fail.h"
#include "frame.h"

struct identity {
    struct utf_text key; /* what is asked for: borrowed */
    struct utf_text body;
    bool is_known;     /* a record has this key ... */
    bool is_same_body; /* ... and this body ... */
    int32_t result;    /* ... and gave this result */
};

/* A scan_visitor's see, with a struct identity as its context. */
bool identity_see(void *context, const struct frame *frame, uint64_t offset, struct fail *fail);

#endif
