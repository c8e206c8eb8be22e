/* plan_reader.h - what the readers of a plan's sections share; for plan*.c only. */
#ifndef SCENARIOS_PLAN_READER_H
#define SCENARIOS_PLAN_READER_H

#include "plan.h"

/* Zeroed memory that lives as long as the plan. */
void *plan_block(struct plan *plan, size_t count, size_t size);
/* Takes over what was allocated elsewhere. */
void *plan_keep(struct plan *plan, void *block);

/* Members of a part; where there is none, *out stays. */
MUST_USE bool plan_read_words(struct plan *plan, const struct part *part, const char *key,
                              const char *const **out, struct err *err);
MUST_USE bool plan_read_path(struct plan *plan, const struct part *part, const char *key,
                             const char **out, struct err *err);
MUST_USE bool plan_read_text(struct plan *plan, const struct part *part, const char *key,
                             struct plan_text *out, struct err *err);

/* A relative program with a slash lies beside the scenario, for the program runs elsewhere. argv is
 * the plan's own, from plan_read_words. */
void plan_resolve(struct plan *plan, const struct part *part, const char *const *argv);

/* "argv", "env", "stdin" and "timeout" of a part. */
MUST_USE bool plan_read_command(struct plan *plan, const struct part *part,
                                struct plan_command *out, struct err *err);
/* "exit" or "signal". */
MUST_USE bool plan_read_end(const struct part *part, struct plan_end *out, struct err *err);

/* Whole sections of the scenario. */
MUST_USE bool plan_read_worker(struct plan *plan, const struct part *scenario, struct err *err);
MUST_USE bool plan_read_services(struct plan *plan, const struct part *scenario, struct err *err);
MUST_USE bool plan_read_barriers(struct plan *plan, const struct part *scenario, struct err *err);
MUST_USE bool plan_read_steps(struct plan *plan, const struct part *scenario, struct err *err);
MUST_USE bool plan_read_checks(struct plan *plan, const struct part *scenario, struct err *err);
MUST_USE bool plan_read_explore(struct plan *plan, const struct part *scenario, struct err *err);

/* One step that is described by a part without name, for a check. */
MUST_USE bool plan_read_check_command(struct plan *plan, const struct part *part,
                                      struct plan_step *out, struct err *err);

/* The words of one op or barrier must be ones that can be understood. */
MUST_USE bool plan_check_words(const struct part *part, const char *words, struct err *err);

#endif
