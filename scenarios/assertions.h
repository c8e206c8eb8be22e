/* assertions.h - observed values against expected ones, counted only when they were observed.
 *
 * Kept as JSON, because they cross from the process of a case to brink: an array of
 *   {"name": "retry: exit", "run": 3, "label": "[n=3]", "held": true, "expected": "...",
 *    "observed": "..."} */
#ifndef SCENARIOS_ASSERTIONS_H
#define SCENARIOS_ASSERTIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct assertions {
    json_t *list;
    size_t failed;
    size_t run;        /* of what comes next, from 1 */
    const char *label; /* of the run; "" when the case has only one */
};

void assertions_init(struct assertions *assertions);
void assertions_fini(struct assertions *assertions);

/* The name is "name", or "name: aspect" when an aspect is given. Texts may hold any bytes; long
 * ones are cut in what is kept, never in what was compared. */
struct assertion {
    const char *name;
    const char *aspect; /* or NULL */
    const char *expected;
    const char *observed;
};
void assertions_add(struct assertions *assertions, const struct assertion *assertion, bool held);

/* Held when both texts are equal. */
void assertions_compare(struct assertions *assertions, const struct assertion *assertion);

#endif
