#include "record.h"

#include "answer.h"
#include "folder.h"
#include "frame.h"
#include "repair.h"

bool record_look_up(struct journal_file *file, const struct put_request *request,
                    struct identity *identity, struct fail *fail)
{
    *identity = (struct identity){.key = request->key, .body = request->body};
    const struct scan_visitor visitor = {identity_see, identity};
    bool is_cut = false;
    if (!journal_file_scan(file, &visitor, fail) || !repair_run(file, &is_cut, fail))
        return false;
    if (!identity->is_known && file->scan.count == INT32_MAX)
        return fail_with(fail, EXIT_CODE_SYSTEM, "%s: full, no result is left", file->path);
    return true;
}

bool record_replay(struct journal_file *file, const struct put_request *request,
                   const struct identity *identity, struct fail *fail)
{
    const char *path = file->path;
    journal_file_close(file);
    if (identity->is_same_body)
        return answer_say(request->answer_fd, "REPLAY", identity->result, fail);
    return fail_with(fail, EXIT_CODE_CONFLICT, "%s: the key %.*s is known with another body", path,
                     (int)request->key.size, request->key.bytes);
}

bool record_append(struct journal_file *file, const struct put_request *request, int32_t result,
                   struct fail *fail)
{
    uint8_t bytes[FRAME_SIZE_MAX];
    size_t size = 0;
    if (!frame_encode(request->key, request->body, result, bytes, &size))
        return fail_with(fail, EXIT_CODE_USAGE, "the body is not valid UTF-8, or too long");
    if (file->scan.count == 0 && !folder_sync_around(file->path, fail))
        return false;
    return journal_file_append(file, bytes, size, fail);
}
