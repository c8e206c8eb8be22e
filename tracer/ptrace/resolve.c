#include "resolve.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug_info.h"
#include "tracer/base/attr.h"
#include "tracer/base/own.h"

/* The compilation unit of an address. The index that elfutils asks first (.debug_aranges) is
 * written by gcc, but not by clang; without it every unit is asked for its ranges. */
static Dwarf_Die *find_unit(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);
    if (unit != NULL)
        return unit;
    while ((unit = dwfl_module_nextcu(module, unit, bias)) != NULL) {
        if (dwarf_haspc(unit, address - *bias) == 1)
            return unit;
    }
    return NULL;
}

/* The innermost function, inlined or not, that holds the address: the one that the line is of. */
static const char *function_of(Dwarf_Die *unit, Dwarf_Addr address)
{
    Dwarf_Die *scopes = NULL;
    const char *name = NULL;
    const int count = dwarf_getscopes(unit, address, &scopes);
    for (int i = 0; i < count && name == NULL; i++) {
        const int tag = dwarf_tag(&scopes[i]);
        if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
            name = dwarf_diename(&scopes[i]);
    }
    free(count > 0 ? scopes : NULL);
    return name;
}

static void fill_line(struct trace *trace, struct trace_frame *frame, Dwarf_Die *unit,
                      Dwarf_Addr address)
{
    Dwarf_Line *line = dwarf_getsrc_die(unit, address);
    int number = 0;
    const char *file = line == NULL ? NULL : dwarf_linesrc(line, NULL, NULL);
    if (file == NULL || dwarf_lineno(line, &number) != 0 || number <= 0)
        return;
    frame->file = strings_add(&trace->strings, file);
    frame->line = (uint32_t)number;
}

/* The C library's own lines are nobody's concern, and where its debug package is installed, reading
 * that takes longer than everything else here; its symbols do. */
static bool wants_lines(const struct module *module)
{
    static const char *const libraries[] = {"libc.so", "libc-2",  "libpthread", "ld-linux",
                                            "ld-2.",   "ld-musl", "libc.musl"};
    const char *slash = strrchr(module->path, '/');
    const char *name = slash == NULL ? module->path : slash + 1;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        if (strncmp(name, libraries[i], strlen(libraries[i])) == 0)
            return false;
    }
    return true;
}

/* An offset is that of a return address (or of the instruction after the system call), so the byte
 * before it belongs to the call. */
static void fill_frame(struct trace *trace, struct trace_frame *frame, Dwfl_Module *module,
                       Dwarf_Addr address, bool want_lines)
{
    Dwarf_Addr bias = 0;
    const char *function = NULL;
    Dwarf_Die *unit = want_lines ? find_unit(module, address, &bias) : NULL;
    if (unit != NULL) {
        fill_line(trace, frame, unit, address - bias);
        function = function_of(unit, address - bias);
    }
    if (function == NULL)
        function = dwfl_module_addrname(module, address);
    if (function != NULL)
        frame->function = strings_add(&trace->strings, function);
}

static void own_dwfl(Dwfl **dwfl)
{
    if (*dwfl != NULL)
        dwfl_end(*dwfl);
}

void resolve_frames(struct trace *trace, const struct module *module, const uint32_t *numbers,
                    size_t count)
{
    const int fd = module->fd < 0 || count == 0 ? -1 : fcntl(module->fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return;
    Dwfl *dwfl OWN(own_dwfl) = dwfl_begin(&debug_info_callbacks);
    if (dwfl == NULL) {
        close(fd);
        return;
    }
    dwfl_report_begin(dwfl);
    Dwfl_Module *found = dwfl_report_elf(dwfl, module->path, module->path, fd, 0, true);
    if (found == NULL)
        close(fd);
    if (dwfl_report_end(dwfl, NULL, NULL) != 0 || found == NULL)
        return;
    const bool want_lines = wants_lines(module);
    for (size_t i = 0; i < count; i++) {
        struct trace_frame *frame = &trace->frames[numbers[i]];
        uint64_t vaddr = 0;
        if (module_vaddr(module, frame->offset - 1, &vaddr))
            fill_frame(trace, frame, found, vaddr, want_lines);
    }
}
