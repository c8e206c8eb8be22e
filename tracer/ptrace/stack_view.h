/* stack_view.h - the registers and the memory of one stopped thread, as a walk over its stack sees
 * them, and what that walk has looked at.
 *
 * Memory is read by whole pages. Everything read is noted: a walk depends on nothing else, so when
 * all the noted words are the same at a later stop, the stack is the same, and no walk is needed.
 */
#ifndef PTRACE_STACK_VIEW_H
#define PTRACE_STACK_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

enum {
    STACK_PAGE = 4096,
    STACK_PAGES = 8,
    STACK_WORDS_MAX = 512, /* more than the words of 64 frames that a warm walk looks at */
    STACK_REGISTERS = 17,  /* DWARF's numbering: rax rdx rcx rbx rsi rdi rbp rsp r8-r15, rip */
    STACK_RSP = 7,
    STACK_RIP = 16,
};

struct stack_page {
    uint64_t number;
    uint64_t stop; /* the stop at which it was read; another one: out of date */
    uint8_t bytes[STACK_PAGE];
};

struct stack_word {
    uint64_t address; /* below STACK_REGISTERS: a register */
    uint64_t value;
};

struct stack_view {
    pid_t tid;
    uint64_t stop;
    uint64_t registers[STACK_REGISTERS];
    struct stack_page pages[STACK_PAGES];
    struct stack_word words[STACK_WORDS_MAX]; /* noted so far */
    size_t words_count;
    bool has_overflown; /* more words than could be noted */
};

/* Turns the view to a thread at its present stop; false when its registers cannot be read. */
bool stack_view_turn(struct stack_view *view, pid_t tid);

/* Read, and note. */
bool stack_view_word(struct stack_view *view, uint64_t address, uint64_t *out);
uint64_t stack_view_register(struct stack_view *view, unsigned number);

/* Whether all these words are at this stop as they were noted. */
bool stack_view_agrees(struct stack_view *view, const struct stack_word *words, size_t count);

#endif
