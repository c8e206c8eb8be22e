/* answer.h - what a put says to the one who asked. Once said it is a promise. */
#ifndef JOURNAL_ANSWER_H
#define JOURNAL_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "fail.h"

/* "RESULT 1\n" by one write call. */
bool answer_say(int fd, const char *word, int32_t result, struct fail *fail);

#endif
