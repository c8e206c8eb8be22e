/* interrupt.h - SIGINT, SIGTERM and SIGHUP as a flag that everything watches.
 *
 * The first signal asks for an orderly end: what is finished is kept, what was set up is taken
 * down. A second one ends brink at once; the janitor then cleans up. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/* Also unblocks every signal and puts SIGCHLD to its default, which a worker that we start
 * inherits. The flag is zero until a signal came, then its number. */
void interrupt_install(void);
const volatile sig_atomic_t *interrupt_flag(void);
bool interrupt_seen(void);

/* The same as a signal, for an error that makes going on useless. */
void interrupt_request(void);

#endif
