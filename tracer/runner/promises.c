#include "promises.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracer/base/check.h"
#include "tracer/base/folder.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { PIECE_SIZE = 1 << 16 };

static void index_ops(struct promises *promises)
{
    size_t acked_capacity = 0;
    size_t ends_capacity = 0;
    size_t sent_capacity = 0;
    uint64_t end = 0;
    for (uint32_t i = 0; i < promises->trace->count; i++) {
        const struct op *op = &promises->trace->ops[i];
        if (op->kind == OP_OUTPUT && (op->flags & OP_ACKED)) {
            const size_t at = promises->acked_count++;
            mem_grow(&promises->acked_ops, &acked_capacity, at + 1, sizeof(uint32_t));
            mem_grow(&promises->acked_ends, &ends_capacity, at + 1, sizeof(uint64_t));
            end += op->payload_size;
            promises->acked_ops[at] = i;
            promises->acked_ends[at] = end;
        } else if (op->kind == OP_SEND) {
            const size_t at = promises->sent_count++;
            mem_grow(&promises->sent_ops, &sent_capacity, at + 1, sizeof(uint32_t));
            promises->sent_ops[at] = i;
        }
    }
}

static bool write_at(const struct promise_file *file, const char *bytes, size_t size, uint64_t at,
                     struct err *err)
{
    while (size > 0) {
        const ssize_t done = pwrite(file->fd, bytes, size, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return err_system(err, "write to %s", file->path);
        bytes += done;
        at += (uint64_t)done;
        size -= (size_t)done;
    }
    return true;
}

/* The index of the output op that holds byte `at` of the stream. */
static size_t find_acked(const struct promises *promises, uint64_t at)
{
    size_t low = 0;
    size_t high = promises->acked_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (promises->acked_ends[middle] <= at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool grow_acked(struct promises *promises, uint64_t size, struct err *err)
{
    char piece[PIECE_SIZE];
    struct promise_file *file = &promises->acked;
    while (file->size < size) {
        const size_t index = find_acked(promises, file->size);
        CHECK(index < promises->acked_count);
        const struct op *op = &promises->trace->ops[promises->acked_ops[index]];
        const uint64_t start = promises->acked_ends[index] - op->payload_size;
        const uint64_t end =
            promises->acked_ends[index] < size ? promises->acked_ends[index] : size;
        const uint64_t left = end - file->size;
        const size_t part = left < sizeof piece ? left : sizeof piece;
        if (!trace_read(promises->trace, op->payload + file->size - start, piece, part, err) ||
            !write_at(file, piece, part, file->size, err))
            return false;
        file->size += part;
    }
    return true;
}

static uint64_t sent_size(const struct promises *promises, size_t lines)
{
    return lines ? promises->sent_ends[lines - 1] : 0;
}

static bool add_lines(struct promises *promises, size_t lines, struct err *err)
{
    CHECK(lines <= promises->sent_count);
    while (promises->sent_lines < lines) {
        const size_t at = promises->sent_lines;
        char *line OWN(own_mem) = NULL;
        if (!promises_line(promises->trace, promises->sent_ops[at], &line, err))
            return false;
        const uint64_t used = sent_size(promises, at);
        const size_t size = strlen(line);
        mem_grow(&promises->sent_text, &promises->sent_capacity, used + size, 1);
        mem_grow(&promises->sent_ends, &promises->sent_ends_capacity, at + 1, sizeof(uint64_t));
        memcpy(promises->sent_text + used, line, size);
        promises->sent_ends[at] = used + size;
        promises->sent_lines++;
    }
    return true;
}

static bool cut(struct promise_file *file, uint64_t size, struct err *err)
{
    if (file->size <= size)
        return true;
    if (ftruncate(file->fd, (off_t)size) < 0)
        return err_system(err, "cut %s", file->path);
    file->size = size;
    return true;
}

static bool set_acked(struct promises *promises, uint64_t size, struct err *err)
{
    return cut(&promises->acked, size, err) && grow_acked(promises, size, err);
}

static bool set_sent(struct promises *promises, size_t lines, struct err *err)
{
    struct promise_file *file = &promises->sent;
    if (!add_lines(promises, lines, err))
        return false;
    const uint64_t size = sent_size(promises, lines);
    if (!cut(file, size, err))
        return false;
    if (file->size < size &&
        !write_at(file, promises->sent_text + file->size, size - file->size, file->size, err))
        return false;
    file->size = size;
    return true;
}

static bool is_same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool is_as_left(const char *path, const struct stat *left)
{
    struct stat now;
    return lstat(path, &now) == 0 && now.st_dev == left->st_dev && now.st_ino == left->st_ino &&
           now.st_mode == left->st_mode && now.st_size == left->st_size &&
           is_same_time(now.st_mtim, left->st_mtim) && is_same_time(now.st_ctim, left->st_ctim);
}

static bool create(struct promise_file *file, struct err *err)
{
    own_close_now(&file->fd);
    file->size = 0;
    file->fd = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file->fd < 0 || fchmod(file->fd, 0644) < 0)
        return err_system(err, "make %s", file->path);
    return true;
}

static bool empty_folder(const char *path, struct err *err)
{
    DIR *dir = opendir(path);
    if (!dir)
        return err_system(err, "open %s", path);
    bool is_done = true;
    for (const struct dirent *entry = readdir(dir); entry && is_done; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            is_done = folder_remove(dirfd(dir), entry->d_name, err);
    }
    closedir(dir);
    return is_done;
}

/* Both files new and empty, and nothing beside them. */
static bool start_anew(struct promises *promises, struct err *err)
{
    if (chmod(promises->folder, 0755) < 0)
        return err_system(err, "make %s readable", promises->folder);
    return empty_folder(promises->folder, err) && create(&promises->acked, err) &&
           create(&promises->sent, err);
}

static bool note_left(struct promises *promises, struct err *err)
{
    if (fstat(promises->acked.fd, &promises->acked.left) < 0 ||
        fstat(promises->sent.fd, &promises->sent.left) < 0 ||
        lstat(promises->folder, &promises->left) < 0)
        return err_system(err, "look at the files in %s", promises->folder);
    return true;
}

bool promises_set(struct promises *promises, const struct trace_promised *promised,
                  bool must_rewrite, struct err *err)
{
    const bool is_untouched = promises->trusts_times && !must_rewrite &&
                              is_as_left(promises->acked.path, &promises->acked.left) &&
                              is_as_left(promises->sent.path, &promises->sent.left) &&
                              is_as_left(promises->folder, &promises->left);
    return (is_untouched || start_anew(promises, err)) &&
           set_acked(promises, promised->acked_bytes, err) &&
           set_sent(promises, promised->sent_messages, err) && note_left(promises, err);
}

bool promises_open(struct promises *promises, const struct trace *trace, const char *folder,
                   bool trusts_times, struct err *err)
{
    *promises = (struct promises){.trace = trace,
                                  .folder = mem_string(folder),
                                  .trusts_times = trusts_times,
                                  .acked = {.path = mem_format("%s/acked", folder), .fd = -1},
                                  .sent = {.path = mem_format("%s/sent", folder), .fd = -1}};
    index_ops(promises);
    const struct trace_promised nothing = {0};
    if (promises_set(promises, &nothing, true, err))
        return true;
    promises_close(promises);
    return false;
}

void promises_close(struct promises *promises)
{
    own_close_now(&promises->acked.fd);
    own_close_now(&promises->sent.fd);
    free(promises->acked.path);
    free(promises->sent.path);
    free(promises->folder);
    free(promises->acked_ops);
    free(promises->acked_ends);
    free(promises->sent_ops);
    free(promises->sent_text);
    free(promises->sent_ends);
}
