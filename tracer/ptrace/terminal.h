/* terminal.h - a terminal for a worker that wants one, copied to and from ours.
 *
 * A thread copies, for the recorder itself waits for the worker. It ends when the worker's side is
 * closed. */
#ifndef PTRACE_TERMINAL_H
#define PTRACE_TERMINAL_H

#include <pthread.h>
#include <termios.h>

#include "tracer/base/err.h"

struct terminal {
    int worker_fd; /* -1: no terminal */
    int our_fd;
    int wake_fd;    /* tells the thread to end */
    bool is_silent; /* what the worker writes is thrown away */
    bool is_pumped;
    bool is_raw; /* our own terminal was put into raw mode */
    struct termios before;
    pthread_t thread;
};

MUST_USE bool terminal_open(struct terminal *terminal, bool is_wanted, struct err *err);
void terminal_pump(struct terminal *terminal);
void terminal_close(struct terminal *terminal);

#endif
