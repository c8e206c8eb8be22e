#include "answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

bool answer_say(int fd, const char *word, int32_t result, struct fail *fail)
{
    char line[32];
    const int size = snprintf(line, sizeof line, "%s %" PRId32 "\n", word, result);
    const ssize_t wrote = write(fd, line, (size_t)size);
    if (wrote == size)
        return true;
    if (wrote < 0) {
        return fail_system(fail, "the record is safe, but the answer %s %" PRId32 " was not taken",
                           word, result);
    }
    return fail_with(fail, EXIT_CODE_SYSTEM,
                     "the record is safe, but the answer %s %" PRId32 " was cut short", word,
                     result);
}
