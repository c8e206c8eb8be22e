#include "robust_place.h"

#include <linux/futex.h>
#include <stddef.h>

bool robust_place_dies(uint32_t word, uint32_t tid, uint32_t *out)
{
    if (tid == 0 || (word & FUTEX_TID_MASK) != tid)
        return false;
    *out = (word & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
    return true;
}

bool robust_place_store(const struct robust_place *place, uint32_t word, uint32_t k, struct op *out)
{
    uint32_t left;
    if (k < place->from || k > place->to || !robust_place_dies(word, place->tid, &left))
        return false;
    const bool is_awaited = (left & FUTEX_WAITERS) != 0;
    *out = (struct op){.kind = OP_STORE,
                       .node = place->node,
                       .thread = place->thread,
                       .offset = place->offset,
                       .size = sizeof left,
                       .payload = place->payload +
                                  (is_awaited ? offsetof(struct robust_words, awaited) : 0),
                       .payload_size = sizeof left};
    return true;
}

const struct robust_place *robust_places(const struct trace *trace, uint32_t recovery,
                                         uint32_t *count)
{
    uint32_t low = 0;
    uint32_t high = trace->robust_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (trace->robust[middle].recovery < recovery) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (*count = 0; low + *count < trace->robust_count; (*count)++) {
        if (trace->robust[low + *count].recovery != recovery)
            break;
    }
    return trace->robust + low;
}
