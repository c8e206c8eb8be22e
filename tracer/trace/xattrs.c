#include "xattrs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { SIZE_MAX_XATTR = 65536 }; /* the kernel's limit for a value, and for all names */

bool xattrs_is_followed(const char *name)
{
    return strncmp(name, "user.", 5) == 0 || strncmp(name, "trusted.", 8) == 0 ||
           strcmp(name, "security.capability") == 0;
}

static bool add(struct xattrs *xattrs, int fd, const char *name, struct err *err)
{
    const ssize_t size = fgetxattr(fd, name, NULL, 0);
    char *value OWN(own_mem) = mem_new(SIZE_MAX_XATTR, 1);
    const ssize_t got = size < 0 ? -1 : fgetxattr(fd, name, value, SIZE_MAX_XATTR);
    if (got < 0)
        return err_system(err, "read the attribute %s", name);
    mem_grow(&xattrs->items, &xattrs->capacity, xattrs->count + 1, sizeof *xattrs->items);
    xattrs->items[xattrs->count++] = (struct xattr_value){
        .name = mem_string(name), .value = mem_copy(value, (size_t)got), .size = (size_t)got};
    return true;
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct xattr_value *)a)->name, ((const struct xattr_value *)b)->name);
}

bool xattrs_read(int fd, struct xattrs *out, struct err *err)
{
    /* Hardly any file has some, so that the first question is the cheap one. */
    const ssize_t need = flistxattr(fd, NULL, 0);
    *out = (struct xattrs){0};
    if (need == 0 || (need < 0 && errno == ENOTSUP))
        return true;
    char *names OWN(own_mem) = mem_new(SIZE_MAX_XATTR, 1);
    const ssize_t size = need < 0 ? -1 : flistxattr(fd, names, SIZE_MAX_XATTR);
    if (size < 0)
        return err_system(err, "list extended attributes");
    struct xattrs xattrs = {0};
    for (const char *name = names; name < names + size; name += strlen(name) + 1) {
        if (xattrs_is_followed(name) && !add(&xattrs, fd, name, err)) {
            xattrs_fini(&xattrs);
            return false;
        }
    }
    if (xattrs.count > 1)
        qsort(xattrs.items, xattrs.count, sizeof *xattrs.items, compare);
    *out = xattrs;
    return true;
}

void xattrs_fini(struct xattrs *xattrs)
{
    for (size_t i = 0; i < xattrs->count; i++) {
        free(xattrs->items[i].name);
        free(xattrs->items[i].value);
    }
    free(xattrs->items);
    *xattrs = (struct xattrs){0};
}
