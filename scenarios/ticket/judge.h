/* judge.h - what an answer of the service proves about an action.
 *
 * FOUND: a receipt under the known contract, for this action id and these bytes. ABSENT: an
 * explicit negative receipt for this action id, under the known contract, with every clause that
 * makes absence mean that nothing was done and nothing can still come. All else is UNKNOWN; the
 * status alone never proves anything. */
#ifndef TICKET_JUDGE_H
#define TICKET_JUDGE_H

#include "client.h"
#include "intent.h"

enum judge_verdict { JUDGE_FOUND, JUDGE_ABSENT, JUDGE_UNKNOWN };

enum { JUDGE_REASON_SIZE = 320 };

struct judgement {
    enum judge_verdict verdict;
    char reason[JUDGE_REASON_SIZE];
};

/* The reason is set with JUDGE_UNKNOWN, and names the field where one is wrong. */
enum judge_verdict judge_look_up(const struct client_answer *answer, const struct intent *intent,
                                 char reason[JUDGE_REASON_SIZE]);

/* The answer to the action itself: never JUDGE_ABSENT. */
enum judge_verdict judge_action(const struct client_answer *answer, const struct intent *intent,
                                char reason[JUDGE_REASON_SIZE]);

#endif
