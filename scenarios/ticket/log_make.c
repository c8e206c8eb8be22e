#include "log_make.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "frame.h"
#include "log_image.h"

enum { NEW_MODE = 0666 }; /* the umask decides */

static bool sync_folder(const struct log_file *file, struct fail *fail)
{
    char *real = realpath(file->path, NULL);
    if (!real)
        return fail_system(fail, "find the folder of %s", file->path);
    const int fd = open(dirname(real), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool is_synced = fd >= 0 && fsync(fd) == 0;
    if (!is_synced)
        fail_system(fail, "sync the folder of %s", file->path);
    if (fd >= 0)
        close(fd);
    free(real);
    return is_synced;
}

bool log_make_file(struct log_file *file, struct fail *fail)
{
    if (file->fd < 0)
        file->fd = open(file->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, NEW_MODE);
    return file->fd >= 0 || fail_system(fail, "%s", file->path);
}

/* A number of its own tells two logs apart that were both made here. */
static bool write_metadata(struct log_file *file, struct fail *fail)
{
    uint64_t number = 0;
    char text[LOG_METADATA_SIZE / 2];
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return fail_system(fail, "getrandom");
    const int size = snprintf(text, sizeof text,
                              "{\"format\":\"ticket-log/1\",\"log\":\"%016" PRIx64 "\"}", number);
    struct frame frame = {.is_metadata = true, .record = text, .record_size = (size_t)size};
    char *line = frame_encode(&frame);
    if (!line)
        return fail_memory(fail);
    const ssize_t written = write(file->fd, line, frame.size);
    free(line);
    if (written >= 0 && written != (ssize_t)frame.size)
        errno = ENOSPC;
    return (written == (ssize_t)frame.size && fdatasync(file->fd) == 0) ||
           fail_system(fail, "write the metadata of %s", file->path);
}

bool log_make_ready(struct log_file *file, struct fail *fail)
{
    if (file->valid_size < file->size) {
        if (ftruncate(file->fd, (off_t)file->valid_size) != 0 || fsync(file->fd) != 0)
            return fail_system(fail, "cut the torn end off %s", file->path);
        file->size = file->valid_size;
    }
    if (file->valid_size > 0)
        return true;
    return write_metadata(file, fail) && sync_folder(file, fail) && log_image_load(file, fail);
}
