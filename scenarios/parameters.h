/* parameters.h - the values that a scenario is run with, and their places in its strings.
 *
 * `matrix` (each combination is a case) and `each` (each combination is a run inside the case) are
 * written as lists, ranges, or whole rows:
 *     {"end": ["kill", "exit:23"], "n": {"from": 0, "to": 98, "step": 7}}
 *     [{"damage": "bad-crc", "offset": 99}, {"damage": "bad-magic", "offset": 0}] */
#ifndef SCENARIOS_PARAMETERS_H
#define SCENARIOS_PARAMETERS_H

#include "part.h"

/* All combinations, the last parameter changing fastest: an array of objects. The part may be
 * absent (json NULL): then one empty object. The caller owns *out. */
MUST_USE bool parameters_expand(const struct part *part, json_t **out, struct err *err);

/* A copy of a part's JSON in which each "${name}" inside a string is replaced by its value from
 * `values`. A string that is nothing else becomes the value itself, with its type; "$${" stands for
 * "${". An unknown name is an ERR_USAGE. The caller owns *out. */
MUST_USE bool parameters_fill(const struct part *part, const json_t *values, json_t **out,
                              struct err *err);

/* "[n=3,end=kill]", or "" for none. Caller frees. */
char *parameters_label(json_t *values);

#endif
