/* service.h - the programs outside the worker that it talks to: alive when the worker dies. */
#ifndef SCENARIOS_SERVICE_H
#define SCENARIOS_SERVICE_H

#include "child.h"

struct service {
    const struct plan_service *plan;
    pid_t pid;      /* 0: it does not run */
    uint64_t began; /* start time, as the kernel has it: with the pid it names one process */
    int log_fd;     /* what it said */
};

/* Starts it and waits until it is ready. One that ends meanwhile, or is not ready in its timeout,
 * is an ERR_USAGE with its last line. */
MUST_USE bool service_start(struct service *service, const struct plan_service *plan,
                            const struct child_options *options, struct err *err);

/* Kills it and what it started. Accepts one that does not run. */
void service_stop(struct service *service);

/* Whether it is the process that was started, and alive. */
bool service_is_alive(const struct service *service);

#endif
