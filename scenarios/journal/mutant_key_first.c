/* Mutant: records the key, and only then counts in a second file. Killed in between it knows an
 * operation that it never counted, and never will. */
#include "answer.h"
#include "put.h"
#include "record.h"
#include "second_file.h"

bool put_run(struct journal_file *file, const struct put_request *request, struct fail *fail)
{
    struct identity identity;
    int32_t counter = 0;
    if (!record_look_up(file, request, &identity, fail) ||
        !second_file_read(file->path, &counter, fail))
        return false;
    if (identity.is_known) {
        /* It cannot answer with more than it has counted. */
        identity.result = counter < identity.result ? counter : identity.result;
        return record_replay(file, request, &identity, fail);
    }
    if (!record_append(file, request, file->scan.count + 1, fail) ||
        !journal_file_sync(file, fail) || !second_file_write(file->path, counter + 1, fail))
        return false;
    journal_file_close(file);
    return answer_say(request->answer_fd, "RESULT", counter + 1, fail);
}
