#include "log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frame.h"
#include "log_image.h"
#include "log_make.h"

enum { LOCK_TRIES = 2500, LOCK_PAUSE_MS = 2 };

void log_file_init(struct log_file *file, const char *path)
{
    *file = (struct log_file){.path = path, .fd = -1, .before_append = -1};
}

static bool file_open(void *self, struct fail *fail)
{
    struct log_file *file = self;
    const int flags = O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK; /* no FIFO makes it wait */
    file->fd = open(file->path, O_RDWR | flags);
    if (file->fd < 0 && (errno == EACCES || errno == EROFS))
        file->fd = open(file->path, O_RDONLY | flags);
    return file->fd >= 0 || errno == ENOENT || fail_system(fail, "%s", file->path);
}

static void file_close(void *self)
{
    struct log_file *file = self;
    if (file->fd >= 0)
        close(file->fd);
    free(file->image);
    log_file_init(file, file->path);
}

/* What stands under the path now: another file there is another log. */
static bool file_metadata(void *self, struct log_metadata *metadata, struct fail *fail)
{
    struct log_file *file = self;
    struct stat by_path;
    *metadata = (struct log_metadata){""};
    if (stat(file->path, &by_path) != 0)
        return errno == ENOENT || fail_system(fail, "%s", file->path);
    struct log_file other;
    log_file_init(&other, file->path);
    const bool is_read = file_open(&other, fail) && log_image_load(&other, fail);
    if (is_read && other.start > 0) {
        struct frame frame = {0};
        frame_decode(other.image, other.valid_size, &frame);
        snprintf(metadata->text, sizeof metadata->text, "%.*s inode %" PRIu64,
                 (int)frame.record_size, frame.record, (uint64_t)by_path.st_ino);
    }
    file_close(&other);
    return is_read;
}

static bool file_bounds(void *self, struct log_bounds *bounds, struct fail *fail)
{
    struct log_file *file = self;
    if (!log_image_load(file, fail))
        return false;
    file->cursor = file->start;
    file->cursor_position = file->bounds.first;
    *bounds = file->bounds;
    return true;
}

static bool file_poll(void *self, uint64_t position, struct log_poll *poll, struct fail *fail)
{
    struct log_file *file = self;
    struct frame frame = {0};
    if (position != file->cursor_position || position >= file->bounds.end) {
        return fail_with(fail, EXIT_CODE_REFUSED, "%s: position %" PRIu64 " is out of turn",
                         file->path, position);
    }
    frame_decode(file->image + file->cursor, file->valid_size - file->cursor, &frame);
    file->cursor += frame.size;
    file->cursor_position++;
    *poll = (struct log_poll){.has_record = frame.record_size > 0,
                              .text = frame.record,
                              .size = frame.record_size,
                              .next = file->cursor_position};
    return true;
}

/* Writers hold the lock for the time of one append: it is to be had soon, or something is wrong. */
static bool take_lock(struct log_file *file, struct fail *fail)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (fcntl(file->fd, F_OFD_SETLK, &lock) == 0) {
            file->is_locked = true;
            return true;
        }
        if (errno != EAGAIN && errno != EACCES)
            return fail_system(fail, "lock %s", file->path);
        poll(NULL, 0, LOCK_PAUSE_MS);
    }
    return fail_with(fail, EXIT_CODE_SYSTEM, "%s: another writer keeps the lock", file->path);
}

static bool write_record(struct log_file *file, const char *text, size_t size, struct fail *fail)
{
    struct frame frame = {.position = file->bounds.end, .record = text, .record_size = size};
    char *line = frame_encode(&frame);
    if (!line)
        return fail_memory(fail);
    const ssize_t written = write(file->fd, line, frame.size);
    free(line);
    if (written == (ssize_t)frame.size) {
        /* The image does not have it, but what an append has to know is there. */
        file->size = file->valid_size += frame.size;
        file->bounds.end++;
        return true;
    }
    if (written >= 0)
        errno = ENOSPC;
    file->size = 0;
    fail_system(fail, "append to %s", file->path);
    if (ftruncate(file->fd, file->before_append) != 0)
        fail_system(fail, "append to %s, and cut it off again", file->path);
    return false;
}

static bool file_append(void *self, const char *text, size_t size, struct fail *fail)
{
    struct log_file *file = self;
    if (size > FRAME_RECORD_MAX)
        return fail_with(fail, EXIT_CODE_SYSTEM, "%s: the record is too long", file->path);
    if (!log_make_file(file, fail) || !take_lock(file, fail))
        return false;
    if (!log_image_refresh(file, fail) || !log_make_ready(file, fail))
        return false;
    file->before_append = (int64_t)file->valid_size;
    return write_record(file, text, size, fail);
}

static bool file_flush(void *self, struct fail *fail)
{
    struct log_file *file = self;
    if (fdatasync(file->fd) == 0)
        return true;
    fail_system(fail, "flush %s", file->path);
    file->size = 0; /* to be looked at anew */
    /* What a failed flush leaves in memory would look durable to the next reader. */
    if (file->before_append >= 0 && ftruncate(file->fd, file->before_append) != 0)
        fail_system(fail, "flush %s, and cut the record off again", file->path);
    return false;
}

/* Nobody has to answer: the flush was the success. What remains is to let other writers in. */
static bool file_wait(void *self, int timeout_ms, struct fail *fail)
{
    struct log_file *file = self;
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    (void)timeout_ms;
    file->before_append = -1;
    file->is_locked = false;
    return fcntl(file->fd, F_OFD_SETLK, &lock) == 0 || fail_system(fail, "unlock %s", file->path);
}

const struct log_backend log_file_backend = {.open = file_open,
                                             .metadata = file_metadata,
                                             .bounds = file_bounds,
                                             .poll = file_poll,
                                             .append = file_append,
                                             .flush = file_flush,
                                             .wait = file_wait,
                                             .close = file_close};
