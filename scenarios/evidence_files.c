#include "evidence_files.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sha256.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"
#include "tracer/trace/listing.h"

static bool hash_link(int dir_fd, const char *name, char out[SHA256_TEXT], struct err *err)
{
    char target[PATH_MAX];
    const ssize_t size = readlinkat(dir_fd, name, target, sizeof target);
    return size >= 0 ? sha256_bytes(target, (size_t)size, out, err)
                     : err_system(err, "read the link %s", name);
}

static bool hash_file(int dir_fd, const char *name, bool want_lines, char out[SHA256_TEXT],
                      struct err *err)
{
    const int fd OWN(own_fd) = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return err_system(err, "open %s", name);
    return want_lines ? sha256_lines(fd, out, err) : sha256_file(fd, out, err);
}

static bool add_entry(int dir_fd, const char *name, const struct evidence_files *options,
                      json_t *list, struct err *err)
{
    struct stat status;
    char digest[SHA256_TEXT];
    char *path OWN(own_mem) = mem_format("%s%s", options->prefix, name);
    if (fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return err_system(err, "look at %s", path);
    if (S_ISDIR(status.st_mode)) {
        char *prefix OWN(own_mem) = mem_format("%s/", path);
        const struct evidence_files inner = {prefix, options->want_lines};
        const int fd OWN(own_fd) =
            openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return fd >= 0 ? evidence_files_add(fd, &inner, list, err)
                       : err_system(err, "open %s", path);
    }
    if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode))
        return true;
    if (S_ISLNK(status.st_mode) ? !hash_link(dir_fd, name, digest, err)
                                : !hash_file(dir_fd, name, options->want_lines, digest, err))
        return false;
    char *shown OWN(own_mem) = text_escape(path, SIZE_MAX);
    json_t *entry = json_object();
    json_object_set_new(entry, "path", json_string(shown));
    json_object_set_new(entry, "sha256", json_string(digest));
    json_array_append_new(list, entry);
    return true;
}

bool evidence_files_add(int dir_fd, const struct evidence_files *options, json_t *list,
                        struct err *err)
{
    struct listing listing;
    if (!listing_read(dir_fd, &listing, err))
        return false;
    bool is_done = true;
    for (size_t i = 0; is_done && i < listing.count; i++) {
        if (!options->want_lines || listing.names[i][0] != '.')
            is_done = add_entry(dir_fd, listing.names[i], options, list, err);
    }
    listing_fini(&listing);
    return is_done;
}
