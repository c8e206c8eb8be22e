#include "interrupt.h"

#include <stddef.h>

/* A signal handler can reach nothing but a variable of the whole program. */
static volatile sig_atomic_t interrupt_signal;

static void note(int signal_number)
{
    interrupt_signal = signal_number;
}

static void catch_signal(int signal_number)
{
    struct sigaction old = {0};
    sigaction(signal_number, NULL, &old);
    /* Ignored by our parent (nohup, a background job of a shell): it stays so. */
    if (old.sa_handler == SIG_IGN)
        return;
    /* No SA_RESTART: poll and waitpid return, and their loops look at the flag. SA_RESETHAND: the
     * second signal has its usual effect. */
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

void interrupt_install(void)
{
    /* Some parents leave these as they need them themselves: an ignored SIGCHLD lets a child vanish
     * before it is waited for, and a blocked signal never comes. */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &usual, NULL);
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    catch_signal(SIGHUP);
}

const volatile sig_atomic_t *interrupt_flag(void)
{
    return &interrupt_signal;
}

bool interrupt_seen(void)
{
    return interrupt_signal != 0;
}

void interrupt_request(void)
{
    interrupt_signal = SIGTERM;
}
