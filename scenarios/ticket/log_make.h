/* log_make.h - a log file is made ready for its next record: there, with metadata, without a torn
 * end. */
#ifndef TICKET_LOG_MAKE_H
#define TICKET_LOG_MAKE_H

#include "log_file.h"

/* Opens the file when it is not open, and makes an empty one when it is not there. */
bool log_make_file(struct log_file *file, struct fail *fail);

/* With the lock held and a fresh image: durably cuts off a torn end, writes the metadata of a new
 * log, and makes its name durable. */
bool log_make_ready(struct log_file *file, struct fail *fail);

#endif
