#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pump.h"
#include "temporary.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum input_kind {
    INPUT_OWN,    /* handed on: a terminal, or nothing at all */
    INPUT_AGAIN,  /* can be opened anew */
    INPUT_STREAM, /* comes only once */
};

struct input {
    enum input_kind kind;
    off_t offset; /* INPUT_AGAIN: where the caller stood */
    int spool;    /* INPUT_STREAM: what was read so far; a file without a name */
    bool is_used; /* the first run has begun */
    struct pump pump;
};

static int open_again(void)
{
    return open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
}

/* A file that may not be opened by its name is read once, like a pipe. */
static enum input_kind kind_of(void)
{
    struct stat status;
    if (fstat(STDIN_FILENO, &status) < 0 || isatty(STDIN_FILENO))
        return INPUT_OWN;
    if (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode) && !S_ISBLK(status.st_mode))
        return INPUT_STREAM;
    const int fd OWN(own_fd) = open_again();
    return fd >= 0 ? INPUT_AGAIN : INPUT_STREAM;
}

/* On disk, not in memory: the worker's input may be large. */
static bool open_spool(int *out, struct err *err)
{
    char *parent OWN(own_mem) = NULL;
    if (!temporary_parent(NULL, &parent, err))
        return false;
    *out = open(parent, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (*out >= 0)
        return true;
    char *path OWN(own_mem) = mem_format("%s/.brink-stdin-XXXXXX", parent);
    *out = mkostemp(path, O_CLOEXEC);
    if (*out < 0)
        return err_system(err, "make a file for stdin in %s", parent);
    unlink(path);
    return true;
}

bool input_open(struct input **out, struct err *err)
{
    int spool = -1;
    const enum input_kind kind = kind_of();
    if (kind == INPUT_STREAM && !open_spool(&spool, err))
        return false;
    struct input *input = mem_new(1, sizeof *input);
    *input = (struct input){.kind = kind, .spool = spool, .pump = {-1, -1}};
    input->offset = lseek(STDIN_FILENO, 0, SEEK_CUR);
    *out = input;
    return true;
}

void input_close(struct input *input)
{
    if (!input)
        return;
    pump_end(&input->pump);
    own_close_now(&input->spool);
    free(input);
}

static bool read_again(const struct input *input, int *out_fd, struct err *err)
{
    int fd OWN(own_fd) = open_again();
    if (fd < 0)
        return err_system(err, "open stdin anew");
    if (input->offset > 0 && lseek(fd, input->offset, SEEK_SET) < 0)
        return err_system(err, "find the place in stdin again");
    *out_fd = own_take_fd(&fd);
    return true;
}

static bool feed(struct input *input, int *out_fd, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_system(err, "make a pipe for stdin");
    int read_end OWN(own_fd) = ends[0];
    const int write_end OWN(own_fd) = ends[1];
    /* A reader of its own place in the spool: the writer's goes on. */
    if (input->is_used && lseek(input->spool, 0, SEEK_SET) < 0)
        return err_system(err, "read the copy of stdin again");
    const struct pump_pipes pipes = {.from = input->is_used ? input->spool : STDIN_FILENO,
                                     .to = write_end,
                                     .copy_to = input->is_used ? -1 : input->spool};
    if (!pump_start(&pipes, &input->pump, err))
        return false;
    input->is_used = true;
    *out_fd = own_take_fd(&read_end);
    return true;
}

bool input_begin(struct input *input, int *out_fd, struct err *err)
{
    *out_fd = -1;
    switch (input->kind) {
    case INPUT_OWN:
        return true;
    case INPUT_AGAIN:
        return read_again(input, out_fd, err);
    case INPUT_STREAM:
        return feed(input, out_fd, err);
    }
    return true;
}

void input_end(struct input *input, int fd)
{
    pump_end(&input->pump);
    if (fd >= 0)
        close(fd);
}
