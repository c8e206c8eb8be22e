/* neutral.h - what was observed, without the places of this machine.
 *
 * Paths stand as the parameters of scenarios do: ${bin}/journal. So the results of two machines can
 * be compared, and an archive of them tells nothing about whose machine it was. */
#ifndef SCENARIOS_NEUTRAL_H
#define SCENARIOS_NEUTRAL_H

#include <jansson.h>
#include <stdbool.h>

struct neutral_place {
    const char *path; /* absolute; NULL ends the list */
    const char *word;
};

/* Replaces them in all strings below `json`, which is changed; a place that lies in another one
 * must stand before it. */
void neutral_make(json_t *json, const struct neutral_place *places);

#endif
