#include "program.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emit.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

char *program_name(pid_t pid)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
    const ssize_t size = readlink(link, path, sizeof path);
    return size < 0 ? mem_string("?") : mem_range(path, (size_t)size);
}

static bool has_symbol(Elf *elf, Elf_Scn *section, const char *name)
{
    GElf_Shdr header;
    Elf_Data *data = elf_getdata(section, NULL);
    if (gelf_getshdr(section, &header) == NULL || header.sh_entsize == 0 || data == NULL ||
        (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB))
        return false;
    for (size_t i = 0; i < header.sh_size / header.sh_entsize; i++) {
        GElf_Sym symbol;
        const char *found = NULL;
        if (gelf_getsym(data, (int)i, &symbol) != NULL)
            found = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (found != NULL && strcmp(found, name) == 0)
            return true;
    }
    return false;
}

/* Whether a program was built with AddressSanitizer: it has or asks for this symbol. */
static bool is_sanitized(int fd)
{
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    bool is_found = false;
    for (Elf_Scn *section = elf == NULL ? NULL : elf_nextscn(elf, NULL);
         section != NULL && !is_found; section = elf_nextscn(elf, section))
        is_found = has_symbol(elf, section, "__asan_init");
    elf_end(elf);
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
    if (is_sanitized(fd)) {
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
