#include "robust.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "emit.h"
#include "memory.h"
#include "tracer/base/mem.h"
#include "tracer/trace/robust_place.h"

enum { POINTER_FLAGS = 1 /* a mutex that also lends its priority */ };

/* Where the holder of a place of the trace sees it, under the same number. */
struct hold {
    pid_t process;
    uint64_t address;
};

/* A store that an exec will make. */
struct marked {
    pid_t tid;
    uint32_t node;
    uint64_t offset;
    uint32_t word;
};

struct robust {
    struct hold *holds;
    size_t count, capacity;
    struct marked *marked;
    size_t marked_count, marked_capacity;
    uint64_t *words; /* addresses of what one thread holds; kept only for its memory */
    size_t words_count, words_capacity;
};

struct robust *robust_new(void)
{
    return mem_new(1, sizeof(struct robust));
}

void robust_free(struct robust *robust)
{
    if (robust == NULL)
        return;
    free(robust->holds);
    free(robust->marked);
    free(robust->words);
    free(robust);
}

static uint64_t number_of(const void *pointer)
{
    uint64_t number;
    memcpy(&number, &pointer, sizeof number);
    return number;
}

/* Where the thread's list begins; 0: it has none, or is gone. */
static uint64_t find_head(struct recorder *recorder, pid_t tid)
{
    struct robust_list_head *head = NULL;
    size_t size = 0;
    if (syscall(SYS_get_robust_list, tid, &head, &size) == 0)
        return number_of(head);
    if (errno != ESRCH) {
        trace_writer_note(recorder->writer,
                          "the robust mutexes of the worker could not be looked at (%s): states do "
                          "not show what their holder's death does to them",
                          strerror(errno));
    }
    return 0;
}

static void add_word(struct robust *robust, uint64_t address)
{
    if (address % sizeof(uint32_t) != 0)
        return; /* the kernel goes past it, too */
    mem_grow(&robust->words, &robust->words_capacity, robust->words_count + 1,
             sizeof *robust->words);
    robust->words[robust->words_count++] = address;
}

/* Lists in robust->words where the words lie that the kernel would look at if the thread died: the
 * items of its list, and the one that it is about to take or give back. The list is the worker's
 * own and may lead anywhere; other threads' lists change while they are read. */
static void list_words(struct recorder *recorder, pid_t tid)
{
    struct robust *robust = recorder->robust;
    struct robust_list_head head;
    const uint64_t at = find_head(recorder, tid);
    robust->words_count = 0;
    if (at == 0 || !memory_read_all(tid, at, &head, sizeof head))
        return;
    const uint64_t shift = (uint64_t)head.futex_offset;
    const uint64_t pending = number_of(head.list_op_pending) & ~(uint64_t)POINTER_FLAGS;
    uint64_t item = number_of(head.list.next) & ~(uint64_t)POINTER_FLAGS;
    for (unsigned i = 0; item != at && i < ROBUST_LIST_LIMIT; i++) {
        uint64_t next;
        if (item != pending)
            add_word(robust, item + shift);
        if (!memory_read_all(tid, item, &next, sizeof next))
            break;
        item = next & ~(uint64_t)POINTER_FLAGS;
    }
    if (pending != 0)
        add_word(robust, pending + shift);
}

/* The thread's number in its own pid namespace, which is what it writes into its locks. */
static uint32_t own_tid(pid_t tid)
{
    char path[40];
    char line[256];
    uint32_t own = (uint32_t)tid;
    snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *last = strrchr(line, '\t');
        if (strncmp(line, "NSpid:", 6) == 0 && last != NULL)
            own = (uint32_t)strtoull(last + 1, NULL, 10);
    }
    if (file != NULL)
        fclose(file);
    return own;
}

/* The place of a word in the workspace; false: it lies elsewhere. */
static bool locate(const struct recorder *recorder, pid_t process, uint64_t address,
                   struct robust_place *out)
{
    struct mapped_range range;
    if (!mapped_find(recorder->mapped, process, address, &range))
        return false;
    out->node = range.node;
    out->offset = range.offset + (address - range.address);
    return true;
}

static bool is_same(const struct robust_place *a, const struct robust_place *b)
{
    return a->node == b->node && a->offset == b->offset && a->thread == b->thread;
}

/* Notes a place, once for as long as it can be seen. A thread cannot hold what it did not map, so
 * only a place that went and came back has a beginning. */
static bool note(struct recorder *recorder, struct robust_place place, const struct hold *hold,
                 struct err *err)
{
    struct robust *robust = recorder->robust;
    const struct trace *trace = recorder->writer->trace;
    const uint32_t before = place.from;
    uint32_t number;
    place.from = 0;
    for (uint32_t i = 0; i < trace->robust_count; i++) {
        if (!is_same(&trace->robust[i], &place))
            continue;
        if (trace->robust[i].to == UINT32_MAX)
            return true;
        place.from = before;
    }
    if (!trace_writer_robust(recorder->writer, &place, &number, err))
        return err_while(err, "note a robust mutex");
    mem_grow(&robust->holds, &robust->capacity, robust->count + 1, sizeof *robust->holds);
    robust->holds[robust->count++] = *hold;
    return true;
}

static bool look_at(struct recorder *recorder, struct tracee *tracee, uint32_t before,
                    struct err *err)
{
    const struct robust *robust = recorder->robust;
    const pid_t process = tracee->process->pid;
    list_words(recorder, tracee->tid);
    for (size_t i = 0; i < robust->words_count; i++) {
        struct robust_place place = {.thread = tracee->number, .from = before, .to = UINT32_MAX};
        const struct hold hold = {.process = process, .address = robust->words[i]};
        if (!locate(recorder, process, hold.address, &place))
            continue;
        if (tracee->own_tid == 0)
            tracee->own_tid = own_tid(tracee->tid);
        place.tid = tracee->own_tid;
        if (!note(recorder, place, &hold, err))
            return false;
    }
    return true;
}

bool robust_look(struct recorder *recorder, uint32_t before, struct err *err)
{
    size_t at = 0;
    struct tracee *tracee;
    while ((tracee = tracees_next(&recorder->tracees, &at)) != NULL) {
        if (tracee->process->has_mappings && !look_at(recorder, tracee, before, err))
            return false;
    }
    return true;
}

void robust_unmapped(struct recorder *recorder, pid_t process)
{
    struct trace *trace = recorder->writer->trace;
    const struct robust *robust = recorder->robust;
    for (size_t i = 0; i < robust->count; i++) {
        struct robust_place *place = &trace->robust[i];
        const struct hold *hold = &robust->holds[i];
        struct robust_place now = *place;
        if (hold->process != process || place->to != UINT32_MAX)
            continue;
        if (!locate(recorder, process, hold->address, &now) || !is_same(&now, place))
            place->to = trace->count;
    }
}

/* What the end of the thread's memory will store, as things stand. */
static void mark(struct recorder *recorder, const struct tracee *tracee)
{
    struct robust *robust = recorder->robust;
    list_words(recorder, tracee->tid);
    for (size_t i = 0; i < robust->words_count; i++) {
        struct robust_place place;
        uint32_t word;
        struct marked marked = {.tid = tracee->tid};
        if (!locate(recorder, tracee->process->pid, robust->words[i], &place) ||
            !memory_read_all(tracee->tid, robust->words[i], &word, sizeof word) ||
            !robust_place_dies(word, own_tid(tracee->tid), &marked.word))
            continue;
        marked.node = place.node;
        marked.offset = place.offset;
        mem_grow(&robust->marked, &robust->marked_capacity, robust->marked_count + 1,
                 sizeof *robust->marked);
        robust->marked[robust->marked_count++] = marked;
    }
}

static void forget_marked(struct robust *robust, pid_t tid)
{
    size_t kept = 0;
    for (size_t i = 0; i < robust->marked_count; i++) {
        if (robust->marked[i].tid != tid)
            robust->marked[kept++] = robust->marked[i];
    }
    robust->marked_count = kept;
}

static bool emit_marked(struct recorder *recorder, const struct tracee *tracee, pid_t tid,
                        struct err *err)
{
    struct robust *robust = recorder->robust;
    for (size_t i = 0; i < robust->marked_count; i++) {
        const struct marked *marked = &robust->marked[i];
        if (marked->tid != tid)
            continue;
        struct op op = {.kind = OP_STORE,
                        .thread = tracee->number,
                        .enter = recorder->writer->trace->count,
                        .node = marked->node,
                        .path = nodes_path(&recorder->nodes, marked->node),
                        .offset = marked->offset,
                        .size = sizeof marked->word,
                        .payload_size = sizeof marked->word};
        if (!trace_writer_payload(recorder->writer, &marked->word, sizeof marked->word, &op.payload,
                                  err))
            return err_while(err, "note the end of a robust mutex's holder");
        emit(recorder, &op);
    }
    forget_marked(robust, tid);
    return true;
}

bool robust_ending(struct recorder *recorder, const struct tracee *tracee, struct err *err)
{
    forget_marked(recorder->robust, tracee->tid);
    mark(recorder, tracee);
    return emit_marked(recorder, tracee, tracee->tid, err);
}

void robust_execing(struct recorder *recorder, const struct tracee *tracee)
{
    forget_marked(recorder->robust, tracee->tid);
    if (tracee->process->has_mappings)
        mark(recorder, tracee);
}

bool robust_execed(struct recorder *recorder, const struct tracee *tracee, pid_t former,
                   struct err *err)
{
    return emit_marked(recorder, tracee, former, err);
}
