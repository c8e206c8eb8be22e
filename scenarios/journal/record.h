/* record.h - the three steps that every put is made of. */
#ifndef JOURNAL_RECORD_H
#define JOURNAL_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "fail.h"
#include "identity.h"
#include "journal_file.h"
#include "put.h"

/* Scans and repairs the file; says in *identity what it knows of the request. */
bool record_look_up(struct journal_file *file, const struct put_request *request,
                    struct identity *identity, struct fail *fail);

/* Answers for a known key: its old result, or a conflict. Closes the file. */
bool record_replay(struct journal_file *file, const struct put_request *request,
                   const struct identity *identity, struct fail *fail);

/* Appends the record, not yet durable. Before the first one the file's name is made durable, so
 * that no later put needs to know whether that was done. */
bool record_append(struct journal_file *file, const struct put_request *request, int32_t result,
                   struct fail *fail);

#endif
