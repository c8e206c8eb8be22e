/* check.h - looks at what a run left, and says what it is and what it should be.
 *
 * What the worker did wrong is a failed assertion; an err is only what keeps us from looking. */
#ifndef SCENARIOS_CHECK_H
#define SCENARIOS_CHECK_H

#include "scene.h"

/* Evaluates one check now. */
MUST_USE bool check_do(struct scene *scene, const struct plan_check *check, struct err *err);

/* The kinds that have a file of their own. */
void check_file(struct scene *scene, const struct plan_check *check);
void check_sql(struct scene *scene, const struct plan_check *check);
void check_jsonl(struct scene *scene, const struct plan_check *check);
MUST_USE bool check_trace(struct scene *scene, const struct plan_check *check, struct err *err);

/* A failed assertion with a reason in place of a value. */
void check_impossible(struct scene *scene, const struct plan_check *check, const char *expected,
                      const char *why);

#endif
