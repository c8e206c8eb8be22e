#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "writer.h"

/* Takes the line. */
static bool say(const struct writer *writer, json_t *line, struct fail *fail)
{
    char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
    json_decref(line);
    if (!text)
        return fail_memory(fail);
    const size_t size = strlen(text) + 1;
    text[size - 1] = '\n'; /* the NUL has done its work */
    size_t done = 0;
    while (done < size) {
        const ssize_t part = write(writer->out_fd, text + done, size - done);
        if (part < 0) {
            free(text);
            return fail_system(fail, "write to stdout");
        }
        done += (size_t)part;
    }
    free(text);
    return true;
}

bool announce_open(const struct writer *writer, struct fail *fail)
{
    return say(writer,
               json_pack("{ss ss}", "line", "WRITER_OPEN", "store_lifetime", writer->lifetime),
               fail);
}

bool announce_ack(const struct writer *writer, const struct event *event, struct fail *fail)
{
    return say(writer,
               json_pack("{ss ss ss si si ss}", "line", "ACK", "event_id", event->event_id,
                         "event_type", event_type_name(event->type), "attempt", event->attempt,
                         "pid", (int)getpid(), "store_lifetime", writer->lifetime),
               fail);
}

bool announce_receipt(const struct writer *writer, const char *action_id,
                      const char *payload_digest, struct fail *fail)
{
    return say(writer,
               json_pack("{ss ss ss}", "line", "RECEIPT_VALIDATED", "action_id", action_id,
                         "payload_digest", payload_digest),
               fail);
}
