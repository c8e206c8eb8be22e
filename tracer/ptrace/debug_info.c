#include "debug_info.h"

#include <stdlib.h>

#include "tracer/base/attr.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static const char servers_variable[] = "DEBUGINFOD_URLS";

// NOLINTNEXTLINE(readability-function-size): the parameters are what elfutils gives
static int find_debuginfo(Dwfl_Module *module, void **user_data, const char *name, Dwarf_Addr base,
                          const char *file, const char *link, GElf_Word crc, char **out)
{
    const char *value = getenv(servers_variable);
    char *servers OWN(own_mem) = value == NULL ? NULL : mem_string(value);
    unsetenv(servers_variable);
    const int fd =
        dwfl_standard_find_debuginfo(module, user_data, name, base, file, link, crc, out);
    if (servers != NULL)
        setenv(servers_variable, servers, 1);
    return fd;
}

/* Reported files are given to elfutils open; it has nothing to find. */
// NOLINTNEXTLINE(readability-function-size): the parameters are what elfutils gives
static int find_elf(Dwfl_Module *module, void **user_data, const char *name, Dwarf_Addr base,
                    char **file, Elf **elf)
{
    (void)module;
    (void)user_data;
    (void)name;
    (void)base;
    (void)file;
    (void)elf;
    return -1;
}

/* Without a path of ours: the file's own folder, its .debug, and /usr/lib/debug. */
const Dwfl_Callbacks debug_info_callbacks = {.find_elf = find_elf,
                                             .find_debuginfo = find_debuginfo,
                                             .section_address = dwfl_offline_section_address};
