/* crowd.h - the words that start one command several times at once, and wait for all. */
#ifndef SCENARIOS_CROWD_H
#define SCENARIOS_CROWD_H

#include <stdint.h>

struct crowd {
    const char **argv; /* NULL-terminated */
    char *number;
};

/* count 1: the command as it is. argv is borrowed. */
void crowd_init(struct crowd *crowd, const char *const *argv, uint32_t count);
void crowd_fini(struct crowd *crowd);

#endif
