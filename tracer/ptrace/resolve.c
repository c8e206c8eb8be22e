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
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

struct symbol_of {
    uint64_t address;
    uint64_t start;   /* of the symbol */
    const char *name; /* NULL: none yet */
    uint32_t frame;
    unsigned char binding;
    bool has_size;
};

/* Global names are what programmers know; then weak ones; local aliases come last. */
static int rank(unsigned char binding)
{
    return binding == STB_GLOBAL ? 2 : binding == STB_WEAK ? 1 : 0;
}

static bool is_better(const struct symbol_of *than, const struct symbol_of *symbol)
{
    if (than->name == NULL || symbol->has_size != than->has_size)
        return than->name == NULL || symbol->has_size;
    if (symbol->start != than->start)
        return symbol->start > than->start;
    return rank(symbol->binding) > rank(than->binding);
}

/* Offers a symbol to all places in [start, end); places are in order of address. */
static void offer(struct symbol_of *places, size_t count, const struct symbol_of *symbol,
                  uint64_t end)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (places[middle].address < symbol->start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < count && places[low].address < end; low++) {
        if (!is_better(&places[low], symbol))
            continue;
        places[low].start = symbol->start;
        places[low].name = symbol->name;
        places[low].binding = symbol->binding;
        places[low].has_size = symbol->has_size;
    }
}

/* elfutils' own search goes through all symbols for each address, which takes a second for the
 * 100,000 of a JVM; this goes through them once. A symbol without a size (from assembly) reaches to
 * the next one, but yields to any that has a size. */
static void find_symbols(Dwfl_Module *module, struct symbol_of *places, size_t count)
{
    const int symbols = dwfl_module_getsymtab(module);
    for (int i = 1; i < symbols; i++) {
        GElf_Sym symbol;
        GElf_Addr start = 0;
        GElf_Word section = 0;
        const char *name =
            dwfl_module_getsym_info(module, i, &symbol, &start, &section, NULL, NULL);
        const int type = GELF_ST_TYPE(symbol.st_info);
        if (name == NULL || name[0] == '\0' || section == SHN_UNDEF ||
            (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE))
            continue;
        const struct symbol_of offered = {.start = start,
                                          .name = name,
                                          .binding = GELF_ST_BIND(symbol.st_info),
                                          .has_size = symbol.st_size > 0};
        offer(places, count, &offered, offered.has_size ? start + symbol.st_size : UINT64_MAX);
    }
}

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

static void fill_from_debug_info(struct trace *trace, struct trace_frame *frame,
                                 Dwfl_Module *module, Dwarf_Addr address)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = find_unit(module, address, &bias);
    if (unit == NULL)
        return;
    fill_line(trace, frame, unit, address - bias);
    const char *function = function_of(unit, address - bias);
    if (function != NULL)
        frame->function = strings_add(&trace->strings, function);
}

static void own_dwfl(Dwfl **dwfl)
{
    if (*dwfl != NULL)
        dwfl_end(*dwfl);
}

static int compare_addresses(const void *a, const void *b)
{
    const struct symbol_of *left = a;
    const struct symbol_of *right = b;
    return left->address < right->address ? -1 : left->address > right->address;
}

static void fill_all(struct trace *trace, const struct module *module, Dwfl_Module *found,
                     struct symbol_of *places, size_t count)
{
    if (wants_lines(module)) {
        for (size_t i = 0; i < count; i++)
            fill_from_debug_info(trace, &trace->frames[places[i].frame], found, places[i].address);
    }
    find_symbols(found, places, count);
    for (size_t i = 0; i < count; i++) {
        struct trace_frame *frame = &trace->frames[places[i].frame];
        if (frame->function == 0 && places[i].name != NULL)
            frame->function = strings_add(&trace->strings, places[i].name);
    }
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
    /* An offset is that of a return address (or of the instruction after the system call), so the
     * byte before it belongs to the call. */
    struct symbol_of *places OWN(own_mem) = mem_new(count, sizeof *places);
    size_t placed = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t vaddr = 0;
        if (module_vaddr(module, trace->frames[numbers[i]].offset - 1, &vaddr))
            places[placed++] = (struct symbol_of){.address = vaddr, .frame = numbers[i]};
    }
    qsort(places, placed, sizeof *places, compare_addresses);
    fill_all(trace, module, found, places, placed);
}
