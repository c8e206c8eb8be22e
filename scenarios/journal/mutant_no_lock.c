/* Mutant: never asks for the lock, so that two writers see the same journal without each other's
 * record. */
#include "lock.h"

bool lock_take(int fd, enum lock_kind kind, int64_t timeout_ms, struct fail *fail)
{
    (void)fd;
    (void)kind;
    (void)timeout_ms;
    (void)fail;
    return true;
}
