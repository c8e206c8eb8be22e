#include "job.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static bool is_part(const char *text)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const size_t size = strlen(text);
    /* Dots alone would be taken out of the path of a URL. */
    return size > 0 && size <= JOB_PART_MAX && strspn(text, letters) == size &&
           strspn(text, ".") < size;
}

bool job_init(struct job *job, const struct job_names *names, struct fail *fail)
{
    if (!is_part(names->run) || !is_part(names->case_name) || !is_part(names->ticket_id)) {
        return fail_with(fail, EXIT_CODE_USAGE,
                         "--run, --case and --ticket want 1 to 64 of A-Z a-z 0-9 . _ -");
    }
    job->ticket_id = names->ticket_id;
    job->title = names->title;
    snprintf(job->job_id, sizeof job->job_id, "%s/%s/%s", names->run, names->case_name,
             names->ticket_id);
    snprintf(job->action_id, sizeof job->action_id, "%s/follow-up", job->job_id);
    return true;
}

void job_event_id(const struct job *job, int attempt, int step, char out[JOB_NAME_SIZE])
{
    snprintf(out, JOB_NAME_SIZE, "%s/%d/%d", job->job_id, attempt, step);
}

char *job_request(const struct job *job, const char *classification)
{
    json_t *request = json_pack("{ss ss ss ss}", "classification", classification, "job_id",
                                job->job_id, "ticket_id", job->ticket_id, "title", job->title);
    char *text = request ? json_dumps(request, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(request);
    return text;
}
