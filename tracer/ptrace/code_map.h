/* code_map.h - which module lies where in one process: its executable mappings, and
 * the constant ones (unwind tables) of the same files.
 *
 * /proc/PID/maps is read when an address is asked for that is not in the table, and an address that
 * nothing holds even then is remembered as such, so a wild address costs one reading, not many. */
#ifndef PTRACE_CODE_MAP_H
#define PTRACE_CODE_MAP_H

#include "module.h"

struct code_region {
    uint64_t start, end;
    uint64_t offset; /* of start in the module's file */
    uint64_t bias;   /* address minus the module's own vaddr */
    uint32_t module; /* MODULE_NONE: code that is in no file (made at run time, the vdso) */
    bool is_code;
};

struct code_map {
    pid_t process;
    struct code_region *regions; /* by address */
    size_t count, capacity;
    struct map wild;  /* pages that hold no code */
    uint64_t changes; /* times that the table was read anew or cleared */
};

/* {.process = pid} is a valid empty map. */
void code_map_fini(struct code_map *map);

/* The region that holds the address; NULL when there is no code. Lives until the next call. */
const struct code_region *code_map_find(struct code_map *map, struct modules *modules,
                                        uint64_t address);

/* Reads a word of code or of a constant mapping from the module's file, without a system call for
 * what was read before; false when the address is in no such mapping that is known. */
bool code_map_word(const struct code_map *map, struct modules *modules, uint64_t address,
                   uint64_t *out);

/* The process has new code. */
void code_map_clear(struct code_map *map);

#endif
