/* folder.h - makes the name of a new journal durable. */
#ifndef JOURNAL_FOLDER_H
#define JOURNAL_FOLDER_H

#include <stdbool.h>

#include "fail.h"

/* Syncs the folder in which the file stands; for a symbolic link, the folder of its target. */
bool folder_sync_around(const char *path, struct fail *fail);

#endif
