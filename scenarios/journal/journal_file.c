#include "journal_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lock.h"

enum { NEW_MODE = 0666 }; /* the umask decides */

/* Puts the file's name in front of a message from a module that does not know it. */
static bool fail_named(const struct journal_file *file, struct fail *fail)
{
    char text[sizeof fail->text];
    memcpy(text, fail->text, sizeof text);
    return fail_with(fail, fail->code, "%.300s: %.170s", file->path, text);
}

static bool open_locked(struct journal_file *file, enum lock_kind kind, int64_t lock_timeout_ms,
                        struct fail *fail)
{
    struct stat found;
    if (fstat(file->fd, &found) != 0)
        return fail_system(fail, "%s", file->path);
    if (!S_ISREG(found.st_mode))
        return fail_with(fail, EXIT_CODE_USAGE, "%s: a journal must be a regular file", file->path);
    return lock_take(file->fd, kind, lock_timeout_ms, fail) || fail_named(file, fail);
}

bool journal_file_open(struct journal_file *file, const char *path, enum journal_access access,
                       int64_t lock_timeout_ms, struct fail *fail)
{
    static const int flags[] = {
        [JOURNAL_READ] = O_RDONLY,
        [JOURNAL_REPAIR] = O_RDWR | O_APPEND,
        [JOURNAL_APPEND] = O_RDWR | O_APPEND | O_CREAT,
    };
    /* Without O_NONBLOCK the open of a FIFO could wait for ever. */
    *file = (struct journal_file){.path = path};
    file->fd = open(path, flags[access] | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, NEW_MODE);
    if (file->fd < 0 && errno == ENOENT && access != JOURNAL_APPEND)
        return true;
    if (file->fd < 0)
        return fail_system(fail, "%s", path);
    const enum lock_kind kind = access == JOURNAL_READ ? LOCK_SHARED : LOCK_EXCLUSIVE;
    if (open_locked(file, kind, lock_timeout_ms, fail))
        return true;
    journal_file_close(file);
    return false;
}

void journal_file_close(struct journal_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

bool journal_file_scan(struct journal_file *file, const struct scan_visitor *visitor,
                       struct fail *fail)
{
    if (file->fd < 0) {
        file->scan = (struct scan){.state = FRAME_VALID};
        return true;
    }
    return scan_run(file->fd, visitor, &file->scan, fail) || fail_named(file, fail);
}

bool journal_file_cut(struct journal_file *file, struct fail *fail)
{
    if (ftruncate(file->fd, (off_t)file->scan.valid_size) != 0)
        return fail_system(fail, "%s: cut off the torn end", file->path);
    if (fsync(file->fd) != 0)
        return fail_system(fail, "%s: sync the cut", file->path);
    return true;
}

/* Takes back an append that cannot be promised. *fail says already why; that the file could not be
 * cut either changes nothing for the caller: the next scan finds a torn end, or the whole record,
 * and deals with it. */
static bool take_back(struct journal_file *file)
{
    struct fail second;
    journal_file_cut(file, &second);
    return false;
}

bool journal_file_append(struct journal_file *file, const uint8_t *bytes, size_t size,
                         struct fail *fail)
{
    const ssize_t wrote = write(file->fd, bytes, size);
    if (wrote == (ssize_t)size)
        return true;
    if (wrote < 0)
        return fail_system(fail, "%s: append a record", file->path);
    fail_with(fail, EXIT_CODE_SYSTEM, "%s: only %zd of the record's %zu bytes could be written",
              file->path, wrote, size);
    return take_back(file);
}

bool journal_file_sync(struct journal_file *file, struct fail *fail)
{
    if (fsync(file->fd) == 0)
        return true;
    fail_system(fail, "%s: sync the new record", file->path);
    return take_back(file);
}

bool journal_file_refuse(const struct journal_file *file, struct fail *fail)
{
    return fail_with(fail, EXIT_CODE_DAMAGE,
                     "%s: refused, nothing was changed: %s at offset %" PRIu64, file->path,
                     frame_word(file->scan.state), file->scan.valid_size);
}
