/* disk_twin.h - what a disk mirror knows about each file in its directory; for disk's own parts.
 *
 * A twin is the real file of a node of the tree. The twins say what is on disk, the tree says what
 * is to be there. disk_look finds out what others did and corrects the twins; disk_settle then
 * makes the disk like the tree. So there is one way of repairing only, whether the tree moved on or
 * a command made a mess. */
#ifndef STATES_DISK_TWIN_H
#define STATES_DISK_TWIN_H

#include <stdint.h>
#include <sys/stat.h>

#include "disk.h"
#include "tracer/base/map.h"

struct twin {
    struct stat stat;         /* as it was left; st_mtim is not looked at while want_times */
    struct tree_place *names; /* on disk; the root has none */
    size_t names_count, names_capacity;
    struct map entries; /* folders: name to node, on disk */
    uint64_t met;       /* the number of the look that met it last */
    uint64_t used;      /* when fd was used last */
    int fd;             /* folders: -1 or open */
    bool is_staged;     /* has no name but a temporary one in the root */
    bool is_listed;     /* is in disk.doubtful */
    bool want_list;     /* folders: names may have come or gone */
    bool want_bytes;    /* its content may differ anywhere */
    bool want_mode;     /* stat.st_mode may be old */
    bool want_times;    /* we changed it, so its mtime is to be set */
    bool want_xattrs;   /* its extended attributes may differ */
    bool has_xattrs;    /* it has some */
};

struct disk {
    struct tree *tree;
    const struct trace *trace;
    struct disk_options options;
    struct twin **twins; /* by node number; NULL: not on disk */
    size_t twins_capacity;
    struct map by_inode;
    uint32_t *doubtful; /* nodes that are to be looked at by disk_settle */
    size_t doubtful_count, doubtful_capacity;
    struct tree_place *places; /* names that may differ from the tree */
    size_t places_count, places_capacity;
    struct strings foreign; /* names that no op ever used but somebody gave to a file of ours */
    size_t staged;
    uint32_t *folders; /* nodes of twins with an open fd, without the root */
    size_t folders_count, folders_capacity;
    uint64_t clock; /* of twin.used */
    uint64_t looks;
    bool is_weak;    /* permission bits bind us */
    bool is_changed; /* a difference was found */
    uint8_t *buffer, *other;
    unsigned left_out;
    char left_out_text[160];
};

enum { DISK_BUFFER = 1 << 18 };
enum { LEFT_OUT_DEVICES = 1, LEFT_OUT_OWNERS = 2, LEFT_OUT_XATTRS = 4, LEFT_OUT_MODES = 8 };

struct twin *disk_twin(const struct disk *disk, uint32_t node); /* NULL: none */
struct twin *disk_twin_new(struct disk *disk, uint32_t node);

/* It is gone from the disk, with all its names. Entries of a folder must be gone before. */
void disk_twin_forget(struct disk *disk, uint32_t node);

void disk_name_add(struct disk *disk, struct tree_place place, uint32_t node);
void disk_name_drop(struct disk *disk, struct tree_place place);
uint32_t disk_entry(const struct disk *disk, struct tree_place place); /* NODE_NONE: none */

/* The number of a name in the trace, or else in disk.foreign with DISK_FOREIGN added; and back. */
enum { DISK_FOREIGN = 1 << 30 };
uint32_t disk_name(struct disk *disk, const char *text);
const char *disk_text(const struct disk *disk, uint32_t name);

/* To be looked at by disk_settle. */
void disk_doubt(struct disk *disk, uint32_t node);
void disk_doubt_place(struct disk *disk, struct tree_place place);

/* A folder's descriptor, at least good until two others were asked for; the folder can be searched
 * and written. -1 and *err on failure. */
MUST_USE int disk_folder(struct disk *disk, uint32_t node, struct err *err);

/* Where a twin can be reached. */
struct disk_spot {
    int dir_fd;
    const char *name; /* points into text, or to one of disk_text */
    char text[32];
};
MUST_USE bool disk_spot(struct disk *disk, uint32_t node, struct disk_spot *out, struct err *err);

/* Opens a regular file, also where its permission bits are in the way. */
MUST_USE bool disk_file(struct disk *disk, uint32_t node, int flags, int *out_fd, struct err *err);

/* Fills *err about a node. Reads errno. Returns false. */
bool disk_failed(const struct disk *disk, uint32_t node, const char *what, struct err *err);

static inline bool disk_is_same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Whether the times say that nobody has changed a file between two looks at it. */
static inline bool disk_is_untouched(const struct disk *disk, const struct stat *old,
                                     const struct stat *new)
{
    return disk->options.trust_times && disk_is_same_time(&old->st_mtim, &new->st_mtim) &&
           disk_is_same_time(&old->st_ctim, &new->st_ctim);
}

/* The parts of disk_settle and disk_restore. */
MUST_USE bool disk_settle_names(struct disk *disk, struct err *err);
MUST_USE bool disk_settle_attributes(struct disk *disk, struct err *err);
MUST_USE bool disk_fill(struct disk *disk, uint32_t node, int fd, struct err *err);
MUST_USE bool disk_write_touched(struct disk *disk, const struct tree_touched *touched,
                                 struct err *err);
MUST_USE bool disk_compare_bytes(struct disk *disk, uint32_t node, struct err *err);
MUST_USE bool disk_look(struct disk *disk, bool must_compare, struct err *err);

#endif
