#include "dwarf_walk.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "debug_info.h"
#include "tracer/base/mem.h"

struct dwarf_walker {
    struct stack_view *view;
    struct code_map *code;
    struct modules *modules;
    Dwfl *dwfl;       /* NULL: to be set up for the present code */
    uint64_t changes; /* of the code map that dwfl was set up with */
};

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread_context)
{
    (void)dwfl;
    struct dwarf_walker *walker = context;
    if (*thread_context == walker)
        return 0;
    *thread_context = walker;
    return walker->view->tid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *context, void **thread_context)
{
    (void)dwfl;
    (void)tid;
    *thread_context = context;
    return true;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *out, void *context)
{
    (void)dwfl;
    struct dwarf_walker *walker = context;
    return stack_view_word(walker->view, address, out);
}

/* The registers that a call preserves are those that rules of outer frames start from; the others
 * change with every call, and noting them would make each stack look new. */
static bool set_initial_registers(Dwfl_Thread *thread, void *context)
{
    static const unsigned preserved[] = {3, 6, STACK_RSP, 12, 13, 14, 15, STACK_RIP};
    struct dwarf_walker *walker = context;
    for (size_t i = 0; i < sizeof preserved / sizeof *preserved; i++)
        (void)stack_view_register(walker->view, preserved[i]);
    return dwfl_thread_state_registers(thread, 0, STACK_REGISTERS, walker->view->registers);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
    .next_thread = next_thread,
    .get_thread = get_thread,
    .memory_read = memory_read,
    .set_initial_registers = set_initial_registers,
};

struct dwarf_walker *dwarf_walker_new(struct stack_view *view, struct code_map *code,
                                      struct modules *modules)
{
    struct dwarf_walker *walker = mem_new(1, sizeof *walker);
    *walker = (struct dwarf_walker){.view = view, .code = code, .modules = modules};
    return walker;
}

void dwarf_walker_free(struct dwarf_walker *walker)
{
    if (walker == NULL)
        return;
    if (walker->dwfl != NULL)
        dwfl_end(walker->dwfl);
    free(walker);
}

/* elfutils closes the descriptor that it is given, so it gets a copy. */
static void report_region(const struct dwarf_walker *walker, const struct code_region *region)
{
    if (!region->is_code || region->module == MODULE_NONE ||
        walker->modules->items[region->module].fd < 0)
        return;
    const struct module *module = &walker->modules->items[region->module];
    if (dwfl_addrmodule(walker->dwfl, region->start) != NULL)
        return;
    const int fd = fcntl(module->fd, F_DUPFD_CLOEXEC, 0);
    if (fd >= 0 &&
        dwfl_report_elf(walker->dwfl, module->path, module->path, fd, region->bias, true) == NULL)
        close(fd);
}

static bool set_up(struct dwarf_walker *walker)
{
    if (walker->dwfl != NULL && walker->changes == walker->code->changes)
        return true;
    if (walker->dwfl != NULL)
        dwfl_end(walker->dwfl);
    walker->changes = walker->code->changes;
    walker->dwfl = dwfl_begin(&debug_info_callbacks);
    if (walker->dwfl == NULL)
        return false;
    dwfl_report_begin(walker->dwfl);
    for (size_t i = 0; i < walker->code->count; i++)
        report_region(walker, &walker->code->regions[i]);
    if (dwfl_report_end(walker->dwfl, NULL, NULL) == 0 &&
        dwfl_attach_state(walker->dwfl, NULL, walker->code->process, &thread_callbacks, walker))
        return true;
    dwfl_end(walker->dwfl);
    walker->dwfl = NULL;
    return false;
}

static int take_frame(Dwfl_Frame *frame, void *context)
{
    struct walk_result *result = context;
    Dwarf_Addr address = 0;
    if (result->count == WALK_FRAMES_MAX || !dwfl_frame_pc(frame, &address, NULL) || address == 0)
        return DWARF_CB_ABORT;
    result->addresses[result->count++] = address;
    return DWARF_CB_OK;
}

void dwarf_walker_walk(struct dwarf_walker *walker, struct walk_result *result)
{
    result->count = 0;
    result->ended_blind = false;
    if (set_up(walker)) /* the end of the stack may be reported as a failure: what came, counts */
        (void)dwfl_getthread_frames(walker->dwfl, walker->view->tid, take_frame, result);
}
