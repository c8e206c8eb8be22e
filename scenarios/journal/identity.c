#include "identity.h"

#include <string.h>

static bool is_equal(struct utf_text a, struct utf_text b)
{
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

bool identity_see(void *context, const struct frame *frame, uint64_t offset, struct fail *fail)
{
    struct identity *identity = context;
    (void)offset;
    (void)fail;
    if (is_equal(frame->key, identity->key)) {
        identity->is_known = true;
        identity->is_same_body = is_equal(frame->body, identity->body);
        identity->result = frame->result;
    }
    return true;
}
