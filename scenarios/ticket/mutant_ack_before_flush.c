/* Mutant: says that an event is durable before it is. */
#include <string.h>

#include "writer.h"

bool commit_event(struct writer *writer, const struct event *event, const char *text,
                  struct fail *fail)
{
    return log_append(writer->log, text, strlen(text), fail) && announce_ack(writer, event, fail) &&
           log_flush(writer->log, fail) && log_wait(writer->log, writer->timeout_ms, fail);
}
