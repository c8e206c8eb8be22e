#include "listing.h"

#include <inttypes.h>

/* JSON needs no more than this: all else may stand in a string as it is. */
static void write_string(struct utf_text text, FILE *out)
{
    putc_unlocked('"', out);
    for (size_t i = 0; i < text.size; i++) {
        const unsigned char byte = (unsigned char)text.bytes[i];
        if (byte == '"' || byte == '\\') {
            fprintf(out, "\\%c", byte);
        } else if (byte < ' ') {
            fprintf(out, "\\u%04x", byte);
        } else {
            putc_unlocked(byte, out);
        }
    }
    putc_unlocked('"', out);
}

static bool write_record(void *context, const struct frame *frame, uint64_t offset,
                         struct fail *fail)
{
    FILE *out = context;
    (void)fail;
    fputs("{\"key\":", out);
    write_string(frame->key, out);
    fputs(",\"body\":", out);
    write_string(frame->body, out);
    fprintf(out, ",\"sha256\":\"%s\",\"result\":%" PRId32 ",\"offset\":%" PRIu64 "}\n",
            frame->digest, frame->result, offset);
    return true;
}

bool listing_write(struct journal_file *file, FILE *out, struct fail *fail)
{
    /* Twice through the file, so that the records before a damaged one are not taken for all. */
    if (!journal_file_scan(file, NULL, fail))
        return false;
    if (file->scan.state != FRAME_VALID && file->scan.state != FRAME_TORN)
        return journal_file_refuse(file, fail);
    const struct scan_visitor visitor = {write_record, out};
    if (!journal_file_scan(file, &visitor, fail))
        return false;
    if (fflush(out) != 0 || ferror(out))
        return fail_system(fail, "write the list");
    return true;
}
