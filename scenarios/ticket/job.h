/* job.h - what identifies a job, its events and its one action, and the request for that action.
 *
 *   job     RUN/CASE/TICKET             the same for ever
 *   event   JOB/ATTEMPT/STEP            one for each transition of each execution
 *   action  JOB/follow-up               one for each intended follow-up: the same in every attempt
 */
#ifndef TICKET_JOB_H
#define TICKET_JOB_H

#include "fail.h"

enum { JOB_PART_MAX = 64, JOB_ID_SIZE = 3 * (JOB_PART_MAX + 1), JOB_NAME_SIZE = JOB_ID_SIZE + 24 };

struct job {
    const char *ticket_id; /* these two are borrowed */
    const char *title;
    char job_id[JOB_ID_SIZE];
    char action_id[JOB_NAME_SIZE];
};

struct job_names {
    const char *run;
    const char *case_name;
    const char *ticket_id;
    const char *title;
};

/* False: a name is not 1 to 64 of A-Z a-z 0-9 . _ -, or is only dots. */
bool job_init(struct job *job, const struct job_names *names, struct fail *fail);

void job_event_id(const struct job *job, int attempt, int step, char out[JOB_NAME_SIZE]);

/* The canonical bytes of the request: compact JSON, sorted members. They are built once for each
 * job. To be freed; NULL: no memory, or the title is not UTF-8. */
char *job_request(const struct job *job, const char *classification);

#endif
