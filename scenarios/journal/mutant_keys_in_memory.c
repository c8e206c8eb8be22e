/* Mutant: knows the keys of its own process only. A process does one put, so its memory is empty
 * whenever it is asked; the counter still comes from the journal. */
#include "identity.h"

bool identity_see(void *context, const struct frame *frame, uint64_t offset, struct fail *fail)
{
    (void)context;
    (void)frame;
    (void)offset;
    (void)fail;
    return true;
}
