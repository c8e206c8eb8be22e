#include "janitor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/base/folder.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

/* Processes that are just being killed may still write: how often cleaning is tried again. */
enum { TRIES_MAX = 100, TRY_AGAIN_MS = 20 };

struct janitor {
    int pipe; /* our end of a pair of sockets */
    pid_t pid;
};

/* What goes through the pipe: this, then the bytes of both names. */
enum order { ORDER_WATCH, ORDER_RESTORE, ORDER_FORGET };
struct message {
    enum order order;
    uint32_t path_size, aside_size; /* aside: where a moved directory is; 0: none */
};

/* One thing that is entrusted. */
struct charge {
    char *path;
    char *aside; /* NULL: path is to be removed; else this goes back to path */
};

struct duties {
    struct charge *items;
    size_t count, capacity;
};

/* Splits a path at its last slash; the folder of "/x" is "/". Caller frees *folder. */
static const char *split(const char *path, char **folder)
{
    const char *slash = strrchr(path, '/');
    if (!slash) {
        *folder = mem_string(".");
        return path;
    }
    *folder = slash == path ? mem_string("/") : mem_range(path, (size_t)(slash - path));
    return slash + 1;
}

static bool remove_path(const char *path, struct err *err)
{
    char *folder OWN(own_mem) = NULL;
    const char *name = split(path, &folder);
    const int fd OWN(own_fd) = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return true;
    if (fd < 0)
        return err_system(err, "open %s", folder);
    return folder_remove(fd, name, err);
}

static bool bring_back(const char *aside, const char *path, struct err *err)
{
    struct stat status;
    if (lstat(aside, &status) < 0 && errno == ENOENT)
        return true; /* it was never moved, or is back already */
    if (!remove_path(path, err))
        return false;
    if (rename(aside, path) < 0)
        return err_system(err, "move %s back to %s", aside, path);
    return true;
}

static bool do_duty(const struct charge *charge)
{
    struct err err = {0};
    return charge->aside ? bring_back(charge->aside, charge->path, &err)
                         : remove_path(charge->path, &err);
}

/* Last first: a workspace may lie aside in a folder that is to be removed. */
static void clean_up(struct duties *duties)
{
    for (size_t i = duties->count; i-- > 0;) {
        for (int tries = 0; tries < TRIES_MAX && !do_duty(&duties->items[i]); tries++)
            poll(NULL, 0, TRY_AGAIN_MS);
        free(duties->items[i].path);
        free(duties->items[i].aside);
    }
    free(duties->items);
}

/* The newest duty with this name. */
static void forget(struct duties *duties, const char *name)
{
    for (size_t i = duties->count; i-- > 0;) {
        struct charge *charge = &duties->items[i];
        if (strcmp(charge->aside ? charge->aside : charge->path, name) != 0)
            continue;
        free(charge->path);
        free(charge->aside);
        memmove(charge, charge + 1, (duties->count - i - 1) * sizeof *charge);
        duties->count--;
        return;
    }
}

static bool read_all(int fd, void *to, size_t size)
{
    char *at = to;
    while (size > 0) {
        const ssize_t got = read(fd, at, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static bool take_order(int fd, struct duties *duties)
{
    struct message message;
    if (!read_all(fd, &message, sizeof message))
        return false;
    char *path OWN(own_mem) = mem_new(message.path_size + 1, 1);
    char *aside OWN(own_mem) = mem_new(message.aside_size + 1, 1);
    if (!read_all(fd, path, message.path_size) || !read_all(fd, aside, message.aside_size))
        return false;
    if (message.order == ORDER_FORGET) {
        forget(duties, path);
        return true;
    }
    mem_grow(&duties->items, &duties->capacity, duties->count + 1, sizeof *duties->items);
    struct charge *added = &duties->items[duties->count++];
    *added = (struct charge){.path = mem_string(path)};
    if (message.order == ORDER_RESTORE)
        added->aside = mem_string(aside);
    return true;
}

/* Nothing of brink's may be kept open or busy by it, nor may a signal meant for brink end it. */
static void become_janitor(int pipe)
{
    setsid();
    prctl(PR_SET_NAME, "brink-janitor");
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGTSTP};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        sigaction(ignored[i], &ignore, NULL);
    if (chdir("/") < 0)
        _exit(1);
    dup2(pipe, STDIN_FILENO);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    close_range(STDERR_FILENO + 1, ~0U, 0);
}

bool janitor_start(struct janitor **out, struct err *err)
{
    int ends[2];
    /* A socket and no pipe: writing to a janitor that is gone must not raise SIGPIPE. */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return err_system(err, "make a pair of sockets");
    const int read_end OWN(own_fd) = ends[0];
    int write_end OWN(own_fd) = ends[1];
    const pid_t pid = fork();
    if (pid < 0)
        return err_system(err, "start the janitor");
    if (pid == 0) {
        struct duties duties = {0};
        become_janitor(read_end);
        while (take_order(STDIN_FILENO, &duties))
            continue;
        clean_up(&duties);
        _exit(0);
    }
    *out = mem_new(1, sizeof **out);
    (*out)->pipe = own_take_fd(&write_end);
    (*out)->pid = pid;
    return true;
}

static bool tell(const struct janitor *janitor, enum order order, const char *path,
                 const char *aside)
{
    const struct message message = {order, (uint32_t)strlen(path), (uint32_t)strlen(aside)};
    const size_t size = sizeof message + message.path_size + message.aside_size;
    char *bytes OWN(own_mem) = mem_new(1, size);
    memcpy(bytes, &message, sizeof message);
    memcpy(bytes + sizeof message, path, message.path_size);
    memcpy(bytes + sizeof message + message.path_size, aside, message.aside_size);
    size_t done = 0;
    while (done < size) {
        const ssize_t put = send(janitor->pipe, bytes + done, size - done, MSG_NOSIGNAL);
        if (put < 0 && errno != EINTR)
            return false;
        done += put < 0 ? 0 : (size_t)put;
    }
    return true;
}

bool janitor_watch(struct janitor *janitor, const char *path, struct err *err)
{
    return tell(janitor, ORDER_WATCH, path, "") ||
           err_system(err, "entrust %s to the janitor", path);
}

void janitor_forget(struct janitor *janitor, const char *path)
{
    if (!tell(janitor, ORDER_FORGET, path, ""))
        return; /* it is gone: there is nobody who could remember */
}

bool janitor_restore(struct janitor *janitor, const char *aside, const char *path, struct err *err)
{
    return tell(janitor, ORDER_RESTORE, path, aside) ||
           err_system(err, "entrust %s to the janitor", aside);
}

bool janitor_bring_back(struct janitor *janitor, const char *aside, const char *path,
                        struct err *err)
{
    if (!bring_back(aside, path, err))
        return false;
    janitor_forget(janitor, aside);
    return true;
}

bool janitor_folder(struct janitor *janitor, const char *parent, char **out, struct err *err)
{
    char *path OWN(own_mem) = folder_name(parent);
    if (!janitor_watch(janitor, path, err))
        return false;
    if (mkdir(path, 0700) < 0) {
        const int reason = errno;
        janitor_forget(janitor, path);
        errno = reason;
        return err_system(err, "make a folder in %s", parent);
    }
    *out = path;
    path = NULL;
    return true;
}

bool janitor_remove(struct janitor *janitor, const char *path, struct err *err)
{
    if (!remove_path(path, err))
        return false;
    janitor_forget(janitor, path);
    return true;
}

void janitor_leave(struct janitor *janitor)
{
    own_close_now(&janitor->pipe);
}

void janitor_end(struct janitor *janitor)
{
    if (!janitor)
        return;
    janitor_leave(janitor);
    while (waitpid(janitor->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    free(janitor);
}
