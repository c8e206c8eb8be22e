/* module.h - the program files and libraries that workers run, each once.
 *
 * A module is identified by device and inode, so two processes that map one file share it. It is
 * kept open from when it was first seen: the worker may delete or replace it, and the mount
 * namespace in which its path means something ends with the worker. Nothing here fails: a file that
 * cannot be read is a module of which only the path is known. */
#ifndef PTRACE_MODULE_H
#define PTRACE_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracer/base/map.h"

enum { MODULE_NONE = UINT32_MAX };

/* One PT_LOAD. */
struct module_segment {
    uint64_t offset, vaddr, size;
};

/* The binary search table of .eh_frame_hdr; entries 0: there is none that we can use. */
struct module_table {
    uint64_t vaddr;        /* of the section, which its entries are relative to */
    uint64_t entries_from; /* vaddr of the first entry */
    uint64_t entries;
};

struct module {
    char *path; /* as the worker's /proc/PID/maps gives it */
    int fd;     /* -1: could not be opened */
    uint64_t size;
    int64_t changed_ns; /* a file that was overwritten since is another module */
    struct module_segment *segments;
    size_t segments_count;
    struct module_table table;
    struct map page_numbers; /* of pages of the file that were read, to their place in `pages` */
    uint8_t **pages;
    size_t pages_count, pages_capacity;
};

struct modules {
    struct module *items;
    size_t count, capacity;
    struct map by_file;
};

/* {0} is a valid empty table. */
void modules_fini(struct modules *modules);

/* Where a process maps a file. */
struct module_place {
    pid_t process;
    uint64_t start, end;
    uint64_t device, inode;
    const char *path;
};

/* The number of the module; it is opened when it is new. */
uint32_t modules_add(struct modules *modules, const struct module_place *place);

/* The number of a module that is there already. */
bool modules_find(const struct modules *modules, const struct module_place *place, uint32_t *out);

/* The address in the file's own terms (as in its symbol table) of an offset in the file; false when
 * no segment holds it. */
bool module_vaddr(const struct module *module, uint64_t offset, uint64_t *out);

/* The word at an offset of the file, for code and unwind tables, which are the same in the memory
 * of all processes. Pages that were read once are kept. */
bool module_word(struct module *module, uint64_t offset, uint64_t *out);

#endif
