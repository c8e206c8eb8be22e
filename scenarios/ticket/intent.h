/* intent.h - the one follow-up that a job has decided on: its id and its exact bytes. */
#ifndef TICKET_INTENT_H
#define TICKET_INTENT_H

#include <stddef.h>

#include "digest.h"

/* The texts are borrowed: from the log's event, or from the attempt that builds them. */
struct intent {
    const char *action_id;
    const char *payload;
    size_t payload_size;
    char digest[DIGEST_SIZE + 1]; /* of these bytes */
};

#endif
