/* pids.h - keeps the pids that a recorded pid file may hold away from the commands.
 *
 * A worker that wrote its pid to a lock file asks, when it is started again, whether that process
 * still lives. In a slot it does not, and so no command may get the number by chance. Before each
 * state the counter of the slot's own pid namespace is set back to a place behind which none of the
 * recorded numbers lies for long; commands get the same pids in every state. */
#ifndef RUNNER_PIDS_H
#define RUNNER_PIDS_H

#include <stddef.h>
#include <stdint.h>

#include "tracer/trace/trace.h"

/* The last pid that is to be taken as given: the lower end of the widest stretch without any of the
 * numbers, between `least` and pid_max. numbers are sorted by it. */
uint32_t pids_widest(uint32_t *numbers, size_t count, uint32_t least, uint32_t pid_max);

/* The same for the threads of a trace and the numbers at the beginning of its small writes. */
uint32_t pids_base(const struct trace *trace);

/* Opens the counter of the own pid namespace; -1 where the kernel does not let us set it. */
int pids_open(void);
void pids_set(int fd, uint32_t base);

#endif
