/* Mutant: counts in a second file, and only then records the key. Killed in between it has counted
 * an operation that it does not know, and counts it again. */
#include "answer.h"
#include "put.h"
#include "record.h"
#include "second_file.h"

bool put_run(struct journal_file *file, const struct put_request *request, struct fail *fail)
{
    struct identity identity;
    int32_t counter = 0;
    if (!record_look_up(file, request, &identity, fail))
        return false;
    if (identity.is_known)
        return record_replay(file, request, &identity, fail);
    if (!second_file_read(file->path, &counter, fail) ||
        !second_file_write(file->path, counter + 1, fail) ||
        !record_append(file, request, file->scan.count + 1, fail) || !journal_file_sync(file, fail))
        return false;
    journal_file_close(file);
    return answer_say(request->answer_fd, "RESULT", counter + 1, fail);
}
