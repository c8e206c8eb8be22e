#include "frame_walker.h"

#include <libunwind.h>
#include <stdlib.h>

#include "tracer/base/mem.h"

/* libunwind-ptrace looks the same things up by reading maps and mapping files for each new address,
 * which costs 100 times as much, and reads memory by single words. */

enum { STACK_REACH = 1 << 23 /* above the stack pointer, code is not even looked for */ };

/* Exported by libunwind for programs that find unwind tables by themselves, but declared in none of
 * its public headers. */
extern int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t space, unw_word_t ip,
                                              unw_dyn_info_t *table, unw_proc_info_t *out,
                                              int want_info, void *context);

struct frame_walker {
    struct stack_view *view;
    struct code_map *code;
    struct modules *modules;
    unw_addr_space_t space;
};

static int find_proc_info(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *out,
                          int want_info, void *context)
{
    struct frame_walker *walker = context;
    const struct code_region *region = code_map_find(walker->code, walker->modules, ip);
    if (region == NULL || region->module == MODULE_NONE)
        return -UNW_ENOINFO;
    const struct module_table *found = &walker->modules->items[region->module].table;
    if (found->entries == 0)
        return -UNW_ENOINFO;
    unw_dyn_info_t table = {
        .start_ip = region->start, .end_ip = region->end, .format = UNW_INFO_FORMAT_REMOTE_TABLE};
    table.u.rti.segbase = region->bias + found->vaddr;
    table.u.rti.table_data = region->bias + found->entries_from;
    table.u.rti.table_len = found->entries; /* in words; an entry is one */
    return UNW_OBJ(dwarf_search_unwind_table)(space, ip, &table, out, want_info, context);
}

static void put_unwind_info(unw_addr_space_t space, unw_proc_info_t *info, void *context)
{
    (void)space;
    (void)info;
    (void)context;
}

static int get_dyn_info_list(unw_addr_space_t space, unw_word_t *list, void *context)
{
    (void)space;
    (void)context;
    *list = 0; /* no code has registered itself with libunwind's own list */
    return -UNW_ENOINFO;
}

static bool read_word(struct frame_walker *walker, uint64_t address, uint64_t *out)
{
    const bool is_on_stack = address - walker->view->registers[STACK_RSP] < STACK_REACH;
    if (!is_on_stack && code_map_word(walker->code, walker->modules, address, out))
        return true;
    return stack_view_word(walker->view, address, out);
}

static int access_mem(unw_addr_space_t space, unw_word_t address, unw_word_t *value, int is_write,
                      void *context)
{
    (void)space;
    struct frame_walker *walker = context;
    if (is_write != 0 || !read_word(walker, address, value))
        return -UNW_EINVAL;
    return 0;
}

/* libunwind's numbers of the integer registers are DWARF's. */
static int access_reg(unw_addr_space_t space, unw_regnum_t number, unw_word_t *value, int is_write,
                      void *context)
{
    (void)space;
    struct frame_walker *walker = context;
    if (is_write != 0 || number < 0 || number >= STACK_REGISTERS)
        return -UNW_EBADREG;
    *value = stack_view_register(walker->view, (unsigned)number);
    return 0;
}

struct frame_walker *frame_walker_new(struct stack_view *view, struct code_map *code,
                                      struct modules *modules)
{
    /* The others serve only calls of libunwind that are not made here. */
    unw_accessors_t accessors = {.find_proc_info = find_proc_info,
                                 .put_unwind_info = put_unwind_info,
                                 .get_dyn_info_list_addr = get_dyn_info_list,
                                 .access_mem = access_mem,
                                 .access_reg = access_reg};
    struct frame_walker *walker = mem_new(1, sizeof *walker);
    *walker = (struct frame_walker){.view = view, .code = code, .modules = modules};
    walker->space = unw_create_addr_space(&accessors, 0);
    if (walker->space != NULL)
        unw_set_caching_policy(walker->space, UNW_CACHE_GLOBAL);
    return walker;
}

void frame_walker_free(struct frame_walker *walker)
{
    if (walker == NULL)
        return;
    if (walker->space != NULL)
        unw_destroy_addr_space(walker->space);
    free(walker);
}

void frame_walker_forget(struct frame_walker *walker)
{
    if (walker->space != NULL)
        unw_flush_cache(walker->space, 0, 0);
}

static bool is_blind_at(const struct frame_walker *walker, uint64_t address)
{
    const struct code_region *region = code_map_find(walker->code, walker->modules, address);
    return region != NULL && region->module != MODULE_NONE &&
           walker->modules->items[region->module].table.entries == 0;
}

void frame_walker_walk(struct frame_walker *walker, struct walk_result *result)
{
    unw_cursor_t cursor;
    result->count = 0;
    result->ended_blind = false;
    if (walker->space == NULL || unw_init_remote(&cursor, walker->space, walker) != 0)
        return;
    while (result->count < WALK_FRAMES_MAX) {
        unw_word_t ip = 0;
        if (unw_get_reg(&cursor, UNW_REG_IP, &ip) != 0 || ip == 0)
            break;
        /* What leads to no code is a wrong guess (libunwind tries frame pointers where it finds no
         * table) or the end. The address before is asked for: a call may be the last instruction.
         */
        if (code_map_find(walker->code, walker->modules, ip - 1) == NULL)
            break;
        result->addresses[result->count++] = ip;
        if (unw_step(&cursor) <= 0)
            break;
    }
    result->ended_blind =
        result->count > 0 && is_blind_at(walker, result->addresses[result->count - 1] - 1);
}
