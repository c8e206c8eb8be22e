#include "log_image.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frame.h"

static bool file_size(const struct log_file *file, size_t *size, struct fail *fail)
{
    struct stat found = {0};
    if (file->fd >= 0 && fstat(file->fd, &found) != 0)
        return fail_system(fail, "%s", file->path);
    if (file->fd >= 0 && !S_ISREG(found.st_mode))
        return fail_with(fail, EXIT_CODE_USAGE, "%s: a log must be a regular file", file->path);
    *size = (size_t)found.st_size;
    return true;
}

/* Replaces the image by the first `size` bytes of the file. */
static bool read_bytes(struct log_file *file, size_t size, struct fail *fail)
{
    char *image = realloc(file->image, size + 1);
    if (!image)
        return fail_memory(fail);
    file->image = image;
    file->size = 0;
    while (file->size < size) {
        const ssize_t part =
            pread(file->fd, image + file->size, size - file->size, (off_t)file->size);
        if (part < 0)
            return fail_system(fail, "read %s", file->path);
        if (part == 0)
            break; /* somebody cut it: the rest is looked at as it is now */
        file->size += (size_t)part;
    }
    return true;
}

static bool refuse(const struct log_file *file, size_t offset, const char *what, struct fail *fail)
{
    return fail_with(fail, EXIT_CODE_REFUSED, "%.300s: %s at offset %zu", file->path, what, offset);
}

/* Takes the line at `offset` into the bounds. */
static bool take_frame(struct log_file *file, const struct frame *frame, size_t offset,
                       struct fail *fail)
{
    if (frame->is_metadata != (offset == 0))
        return refuse(file, offset, offset == 0 ? "missing metadata" : "metadata twice", fail);
    if (frame->is_metadata) {
        file->start = frame->size;
        return true;
    }
    if (offset == file->start)
        file->bounds = (struct log_bounds){frame->position, frame->position};
    if (frame->position != file->bounds.end)
        return refuse(file, offset, "missing record", fail);
    file->bounds.end++;
    return true;
}

bool log_image_load(struct log_file *file, struct fail *fail)
{
    size_t size = 0;
    if (!file_size(file, &size, fail) || !read_bytes(file, size, fail))
        return false;
    file->valid_size = 0;
    file->start = 0;
    file->bounds = (struct log_bounds){0, 0};
    while (file->valid_size < file->size) {
        struct frame frame = {0};
        const enum frame_state state =
            frame_decode(file->image + file->valid_size, file->size - file->valid_size, &frame);
        if (state == FRAME_TORN)
            break;
        if (state == FRAME_DAMAGED)
            return refuse(file, file->valid_size, "damaged line", fail);
        if (!take_frame(file, &frame, file->valid_size, fail))
            return false;
        file->valid_size += frame.size;
    }
    return true;
}

bool log_image_refresh(struct log_file *file, struct fail *fail)
{
    size_t size = 0;
    return file_size(file, &size, fail) &&
           ((file->image && size == file->size) || log_image_load(file, fail));
}
