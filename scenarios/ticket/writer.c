#include "writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum { MS_PER_SECOND = 1000, NS_PER_MS = 1000000 };

static bool open_store(struct writer *writer, struct fail *fail)
{
    uint64_t number = 0;
    if (writer->lifetime[0] != '\0')
        return true;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return fail_system(fail, "getrandom");
    snprintf(writer->lifetime, sizeof writer->lifetime, "%016" PRIx64, number);
    return log_own(writer->log, fail) && announce_open(writer, fail);
}

bool writer_append(struct writer *writer, const struct writer_entry *entry, struct fail *fail)
{
    char event_id[JOB_NAME_SIZE];
    struct timespec now;
    if (!open_store(writer, fail))
        return false;
    clock_gettime(CLOCK_REALTIME, &now);
    writer->step++;
    job_event_id(writer->job, writer->attempt, writer->step, event_id);
    const struct event event = {
        .job_id = writer->job->job_id,
        .event_id = event_id,
        .attempt = writer->attempt,
        .step = writer->step,
        .type = entry->type,
        .action_id = entry->action_id,
        .payload_digest = entry->payload_digest,
        .emitted_at_ms = (int64_t)now.tv_sec * MS_PER_SECOND + now.tv_nsec / NS_PER_MS,
        .detail = entry->detail,
    };
    char *text = event_write(&event);
    if (!text)
        return fail_memory(fail);
    const bool is_committed = commit_event(writer, &event, text, fail);
    free(text);
    return is_committed;
}
