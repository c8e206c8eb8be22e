/* log_image.h - the bytes of a log file, read and checked as a whole. */
#ifndef TICKET_LOG_IMAGE_H
#define TICKET_LOG_IMAGE_H

#include "log_file.h"

/* Reads the file that is open now. A damaged line is EXIT_CODE_REFUSED, and names its offset. */
bool log_image_load(struct log_file *file, struct fail *fail);

/* The same, but only when the file is no longer as long as it was. */
bool log_image_refresh(struct log_file *file, struct fail *fail);

#endif
