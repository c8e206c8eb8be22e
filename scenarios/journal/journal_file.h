/* journal_file.h - an open, locked journal. A file that is open here is locked; closing unlocks.
 *
 * Several threads may each open the same file: the lock holds them apart, too. A failed function
 * names the file in its message. */
#ifndef JOURNAL_JOURNAL_FILE_H
#define JOURNAL_JOURNAL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fail.h"
#include "scan.h"

enum journal_access {
    JOURNAL_READ,   /* shared lock */
    JOURNAL_REPAIR, /* exclusive lock */
    JOURNAL_APPEND, /* exclusive lock; makes the file when it is not there */
};

/* {.fd = -1} is a closed one, and also a journal that is not there: it has no records. */
struct journal_file {
    int fd;
    const char *path; /* borrowed */
    struct scan scan; /* what the last journal_file_scan found */
};

bool journal_file_open(struct journal_file *file, const char *path, enum journal_access access,
                       int64_t lock_timeout_ms, struct fail *fail);
void journal_file_close(struct journal_file *file);

/* Damage is no failure: see file->scan. */
bool journal_file_scan(struct journal_file *file, const struct scan_visitor *visitor,
                       struct fail *fail);

/* Appends the bytes by one write call. When the disk takes them only in part, they are cut off
 * again. */
bool journal_file_append(struct journal_file *file, const uint8_t *bytes, size_t size,
                         struct fail *fail);

/* Makes what was appended durable. When that fails it is cut off again: what a failed sync leaves
 * in memory would look durable to the next reader. */
bool journal_file_sync(struct journal_file *file, struct fail *fail);

/* Cuts off all that stands behind the last valid record, durably. */
bool journal_file_cut(struct journal_file *file, struct fail *fail);

/* Fills *fail for the damage that the scan found: its word and its place. Returns false. */
bool journal_file_refuse(const struct journal_file *file, struct fail *fail);

#endif
