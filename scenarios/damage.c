#include "damage.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/base/own.h"

enum { BITS = 8 };

/* Bit 0 is the lowest of the first byte. */
static bool flip(const struct plan_damage *damage, int fd, struct err *err)
{
    const off_t at = (off_t)(damage->at / BITS);
    unsigned char byte;
    if (pread(fd, &byte, 1, at) != 1)
        return err_usage(err, "%s has no bit %" PRIu64, damage->path, damage->at);
    byte = (unsigned char)(byte ^ (1U << damage->at % BITS));
    return pwrite(fd, &byte, 1, at) == 1 || err_system(err, "write to %s", damage->path);
}

/* ftruncate, but only in the direction that was asked for: else the step would do nothing. */
static bool resize(const struct plan_damage *damage, int fd, struct err *err)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return err_system(err, "look at %s", damage->path);
    const bool is_cut = damage->kind == DAMAGE_CUT;
    if (is_cut ? damage->at > (uint64_t)status.st_size : damage->at < (uint64_t)status.st_size) {
        return err_usage(err, "%s has %lld bytes and cannot be %s to %" PRIu64, damage->path,
                         (long long)status.st_size, is_cut ? "cut" : "padded", damage->at);
    }
    return ftruncate(fd, (off_t)damage->at) == 0 || err_system(err, "resize %s", damage->path);
}

bool damage_do(const struct plan_damage *damage, int dir_fd, struct err *err)
{
    const int flags = damage->kind == DAMAGE_PUT ? O_RDWR | O_CREAT : O_RDWR;
    const int fd OWN(own_fd) = openat(dir_fd, damage->path, flags | O_CLOEXEC, 0644);
    if (fd < 0) {
        err_system(err, "damage %s", damage->path);
        err->kind = ERR_USAGE;
        return false;
    }
    switch (damage->kind) {
    case DAMAGE_FLIP:
        return flip(damage, fd, err);
    case DAMAGE_CUT:
    case DAMAGE_PAD:
        return resize(damage, fd, err);
    case DAMAGE_PUT:
        return pwrite(fd, damage->data, damage->size, (off_t)damage->at) == (ssize_t)damage->size ||
               err_system(err, "write to %s", damage->path);
    case DAMAGE_NONE:
        break;
    }
    return true;
}
