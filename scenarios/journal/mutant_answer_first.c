/* Mutant: answers when the record is written, and only then makes it durable. No process kill shows
 * it. */
#include "answer.h"
#include "put.h"
#include "record.h"

bool put_run(struct journal_file *file, const struct put_request *request, struct fail *fail)
{
    struct identity identity;
    if (!record_look_up(file, request, &identity, fail))
        return false;
    if (identity.is_known)
        return record_replay(file, request, &identity, fail);
    const int32_t result = file->scan.count + 1;
    return record_append(file, request, result, fail) &&
           answer_say(request->answer_fd, "RESULT", result, fail) && journal_file_sync(file, fail);
}
