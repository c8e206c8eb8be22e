#include "program.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emit.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { SEARCH_MAX = 64 << 20 };

char *program_name(pid_t pid)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
    const ssize_t size = readlink(link, path, sizeof path);
    return size < 0 ? mem_string("?") : mem_range(path, (size_t)size);
}

/* Whether a program was built with AddressSanitizer: it exports or asks for this name. */
static bool is_sanitized(int fd, size_t size)
{
    static const char name[] = "__asan_init";
    if (size == 0 || size > SEARCH_MAX)
        return false;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return false;
    const bool is_found = memmem(bytes, size, name, sizeof name - 1) != NULL;
    munmap(bytes, size);
    return is_found;
}

/* Facts of a program file are asked for once. */
static void tell(struct recorder *recorder, pid_t pid, const char *name)
{
    char link[64];
    struct stat facts;
    snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
    int fd OWN(own_fd) = open(link, O_RDONLY | O_CLOEXEC);
    if (fd == -1 || fstat(fd, &facts) == -1)
        return;
    if (geteuid() != 0 && (facts.st_mode & (S_ISUID | S_ISGID)) != 0) {
        trace_writer_note(recorder->writer,
                          "%s is set-uid or set-gid: recorded without root, it runs with the "
                          "caller's own rights",
                          name);
    }
    if (is_sanitized(fd, (size_t)facts.st_size)) {
        trace_writer_note(recorder->writer,
                          "%s was built with a sanitizer: its leak search is off "
                          "(detect_leaks=0), for it cannot work under ptrace",
                          name);
    }
}

void program_started(struct recorder *recorder, const struct tracee *tracee)
{
    struct trace *trace = recorder->writer->trace;
    char *name OWN(own_mem) = program_name(tracee->process->pid);
    const size_t strings_before = trace->strings.count;
    struct op op = emit_start(tracee, OP_EXEC);
    op.enter = trace->count;
    op.path = strings_add(&trace->strings, name);
    if (trace->strings.count != strings_before)
        tell(recorder, tracee->process->pid, name);
    trace->threads[tracee->number].program = op.path;
    trace->threads[tracee->number].tid = (uint32_t)tracee->tid;
    trace->threads[tracee->number].is_main = 1;
    emit(recorder, &op);
}
