#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "hex.h"
#include "sha256.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

/* Bytes that are compared or shown as digits: a check is for small files, a hash for large ones. */
enum { BYTES_MAX = 64 << 20, SHOWN_MAX = 64 };

/* All bytes of a file; NULL, with errno, when it cannot be read. */
static uint8_t *read_bytes(int dir_fd, const char *path, size_t *size)
{
    struct stat status;
    const int fd OWN(own_fd) = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0)
        return NULL;
    errno = S_ISREG(status.st_mode) ? EFBIG : EISDIR;
    if (!S_ISREG(status.st_mode) || status.st_size > BYTES_MAX)
        return NULL;
    uint8_t *bytes = mem_new((size_t)status.st_size + 1, 1);
    const ssize_t got = pread(fd, bytes, (size_t)status.st_size, 0);
    *size = got > 0 ? (size_t)got : 0;
    return bytes;
}

/* "absent", or what it is. Caller frees. */
static char *presence(int dir_fd, const char *path)
{
    struct stat status;
    return mem_string(fstatat(dir_fd, path, &status, AT_SYMLINK_NOFOLLOW) == 0 ? "there"
                                                                               : "absent");
}

static void add(struct scene *scene, const struct plan_check *check, const char *aspect,
                const char *expected, const char *observed)
{
    const struct assertion assertion = {check->name, aspect, expected, observed};
    assertions_compare(scene->assertions, &assertion);
}

static void check_absent(struct scene *scene, const struct plan_check *check)
{
    char *observed OWN(own_mem) = presence(scene->dir_fd, check->file.path);
    add(scene, check, "presence", check->file.is_absent ? "absent" : "there", observed);
}

static void check_size(struct scene *scene, const struct plan_check *check)
{
    struct stat status;
    char *expected OWN(own_mem) = mem_format("%" PRId64 " bytes", check->file.size);
    char *observed OWN(own_mem) =
        fstatat(scene->dir_fd, check->file.path, &status, 0) == 0
            ? mem_format("%" PRId64 " bytes", (int64_t)status.st_size)
            : mem_format("%s", errno == ENOENT ? "absent" : strerror(errno));
    add(scene, check, "size", expected, observed);
}

/* Digits of the bytes around the first difference, so that long files stay readable. */
static void compare_bytes(struct scene *scene, const struct plan_check *check, const char *aspect,
                          const struct ended_text *expected, const struct ended_text *observed)
{
    const size_t least = expected->size < observed->size ? expected->size : observed->size;
    size_t at = 0;
    while (at < least && expected->bytes[at] == observed->bytes[at])
        at++;
    const bool is_equal = at == expected->size && at == observed->size;
    const size_t from = is_equal ? 0 : at;
    const size_t wanted = expected->size - from;
    const size_t got = observed->size - from;
    char *left OWN(own_mem) =
        hex_encode(expected->bytes + from, wanted < SHOWN_MAX ? wanted : SHOWN_MAX);
    char *right OWN(own_mem) =
        hex_encode(observed->bytes + from, got < SHOWN_MAX ? got : SHOWN_MAX);
    char *first OWN(own_mem) = mem_format("%zu bytes, from %zu on: %s", expected->size, from, left);
    char *second OWN(own_mem) =
        mem_format("%zu bytes, from %zu on: %s", observed->size, from, right);
    const struct assertion assertion = {check->name, aspect, first, second};
    assertions_add(scene->assertions, &assertion, is_equal);
}

static void check_bytes(struct scene *scene, const struct plan_check *check)
{
    size_t wanted_size = 0;
    size_t size = 0;
    uint8_t *wanted OWN(own_mem) = hex_decode(check->file.bytes, &wanted_size);
    uint8_t *bytes OWN(own_mem) = read_bytes(scene->dir_fd, check->file.path, &size);
    if (!bytes) {
        add(scene, check, "bytes", check->file.bytes, strerror(errno));
        return;
    }
    const struct ended_text expected = {(char *)wanted, wanted_size};
    const struct ended_text observed = {(char *)bytes, size};
    compare_bytes(scene, check, "bytes", &expected, &observed);
}

static void check_sha256(struct scene *scene, const struct plan_check *check)
{
    char digest[SHA256_TEXT];
    struct err err = {0};
    const int fd OWN(own_fd) = openat(scene->dir_fd, check->file.path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        add(scene, check, "sha256", check->file.sha256, strerror(errno));
    } else {
        const bool is_done = sha256_file(fd, digest, &err);
        add(scene, check, "sha256", check->file.sha256, is_done ? digest : err.text);
    }
}

/* Both files, compared wholly, or as far as the first goes. */
static void check_other(struct scene *scene, const struct plan_check *check, const char *other,
                        bool is_prefix)
{
    const char *aspect = is_prefix ? "prefix_of" : "equals";
    size_t size = 0;
    size_t other_size = 0;
    uint8_t *bytes OWN(own_mem) = read_bytes(scene->dir_fd, check->file.path, &size);
    if (!bytes) {
        add(scene, check, aspect, other, strerror(errno));
        return;
    }
    uint8_t *others OWN(own_mem) = read_bytes(scene->dir_fd, other, &other_size);
    if (!others) {
        char *why OWN(own_mem) = mem_format("%s: %s", other, strerror(errno));
        add(scene, check, aspect, other, why);
        return;
    }
    if (is_prefix && size < other_size)
        other_size = size;
    const struct ended_text expected = {(char *)others, other_size};
    const struct ended_text observed = {(char *)bytes, size};
    compare_bytes(scene, check, aspect, &expected, &observed);
}

static void check_unchanged(struct scene *scene, const struct plan_check *check)
{
    char *expected OWN(own_mem) = mem_format("as at %s", check->file.unchanged);
    char *difference OWN(own_mem) = remembered_difference(scene->remembered, scene->dir_fd,
                                                          check->file.path, check->file.unchanged);
    add(scene, check, "unchanged", expected, difference ? difference : expected);
}

void check_file(struct scene *scene, const struct plan_check *check)
{
    const struct plan_check_file *file = &check->file;
    if (file->has_absent)
        check_absent(scene, check);
    if (file->has_size)
        check_size(scene, check);
    if (file->bytes)
        check_bytes(scene, check);
    if (file->sha256)
        check_sha256(scene, check);
    if (file->equals)
        check_other(scene, check, file->equals, false);
    if (file->prefix_of)
        check_other(scene, check, file->prefix_of, true);
    if (file->unchanged)
        check_unchanged(scene, check);
}
