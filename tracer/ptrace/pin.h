/* pin.h - keeping tracer and worker on one CPU: a stop is six to eight times cheaper there. */
#ifndef PTRACE_PIN_H
#define PTRACE_PIN_H

#include <sched.h>
#include <stdbool.h>

struct pin {
    cpu_set_t before;
    bool is_set;
};

/* Pins the caller, and what it starts from now on, to the CPU it runs on. A kernel that refuses
 * costs only speed. */
void pin_set(struct pin *pin, bool want_pin);
void pin_restore(const struct pin *pin);

#endif
