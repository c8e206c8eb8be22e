#include "stack_view.h"

#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

bool stack_view_turn(struct stack_view *view, pid_t tid)
{
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, tid, 0, &regs) == -1)
        return false;
    const uint64_t in_dwarf_order[STACK_REGISTERS] = {
        regs.rax, regs.rdx, regs.rcx, regs.rbx, regs.rsi, regs.rdi, regs.rbp, regs.rsp, regs.r8,
        regs.r9,  regs.r10, regs.r11, regs.r12, regs.r13, regs.r14, regs.r15, regs.rip};
    memcpy(view->registers, in_dwarf_order, sizeof in_dwarf_order);
    view->tid = tid;
    view->stop++; /* pages start with stop 0, so the first turn makes none of them valid */
    view->words_count = 0;
    view->has_overflown = false;
    return true;
}

static const uint8_t *page_at(struct stack_view *view, uint64_t address)
{
    const uint64_t number = address / STACK_PAGE;
    struct stack_page *page = &view->pages[number % STACK_PAGES];
    if (page->number == number && page->stop == view->stop)
        return page->bytes;
    page->stop = 0;
    const struct iovec to = {page->bytes, STACK_PAGE};
    void *address_there = (void *)(number * STACK_PAGE); // NOLINT: the interface wants a pointer
    const struct iovec from = {address_there, STACK_PAGE};
    if (process_vm_readv(view->tid, &to, 1, &from, 1, 0) != STACK_PAGE)
        return NULL;
    page->number = number;
    page->stop = view->stop;
    return page->bytes;
}

static bool read_word(struct stack_view *view, uint64_t address, uint64_t *out)
{
    const uint64_t at = address % STACK_PAGE;
    const size_t first = at + sizeof *out <= STACK_PAGE ? sizeof *out : STACK_PAGE - at;
    uint8_t bytes[sizeof *out];
    const uint8_t *page = page_at(view, address);
    if (page == NULL)
        return false;
    memcpy(bytes, page + at, first);
    if (first < sizeof *out) { /* a word across two pages */
        page = page_at(view, address + first);
        if (page == NULL)
            return false;
        memcpy(bytes + first, page, sizeof *out - first);
    }
    memcpy(out, bytes, sizeof *out);
    return true;
}

static void note(struct stack_view *view, uint64_t address, uint64_t value)
{
    if (view->words_count == STACK_WORDS_MAX) {
        view->has_overflown = true;
    } else {
        view->words[view->words_count++] = (struct stack_word){address, value};
    }
}

bool stack_view_word(struct stack_view *view, uint64_t address, uint64_t *out)
{
    if (!read_word(view, address, out)) {
        view->has_overflown = true; /* a failure cannot be noted, so the walk cannot be reused */
        return false;
    }
    note(view, address, *out);
    return true;
}

uint64_t stack_view_register(struct stack_view *view, unsigned number)
{
    note(view, number, view->registers[number]);
    return view->registers[number];
}

bool stack_view_agrees(struct stack_view *view, const struct stack_word *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t now = 0;
        if (words[i].address < STACK_REGISTERS) {
            now = view->registers[words[i].address];
        } else if (!read_word(view, words[i].address, &now)) {
            return false;
        }
        if (now != words[i].value)
            return false;
    }
    return true;
}
