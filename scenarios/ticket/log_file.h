/* log_file.h - an event log in a file of its own: the embedded default.
 *
 * An append is one write call under an exclusive lock, flushed by fdatasync; the lock is held until
 * the wait is over. Readers take no lock. A torn end is not part of the log, and the next append
 * cuts it off; a damaged line is refused and nothing is changed. */
#ifndef TICKET_LOG_FILE_H
#define TICKET_LOG_FILE_H

#include "log.h"

struct log_file {
    const char *path; /* borrowed */
    int fd;           /* -1: the file is not there */
    bool is_locked;
    char *image; /* the file's bytes as of the last look */
    size_t size; /* of the whole of it; valid_size without a torn end */
    size_t valid_size;
    size_t start; /* offset of the first record */
    struct log_bounds bounds;
    size_t cursor; /* offset of the record at cursor_position */
    uint64_t cursor_position;
    int64_t before_append; /* the size to go back to when the flush fails; -1: no append waits */
};

extern const struct log_backend log_file_backend;

void log_file_init(struct log_file *file, const char *path);

#endif
