/* listing.h - the records of a journal for people and scripts: one JSON object a line. */
#ifndef JOURNAL_LISTING_H
#define JOURNAL_LISTING_H

#include <stdbool.h>
#include <stdio.h>

#include "fail.h"
#include "journal_file.h"

/* Writes nothing when any record is damaged; a torn end is left out, and left alone. The file may
 * be open with any access. */
bool listing_write(struct journal_file *file, FILE *out, struct fail *fail);

#endif
