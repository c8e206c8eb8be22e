/* copy.h - the content and attributes of one file, from descriptor to descriptor. */
#ifndef BASE_COPY_H
#define BASE_COPY_H

#include <sys/stat.h>

#include "err.h"

/* Makes the empty regular file `to` equal to `from`, holes included; a reflink where the file
 * system can. path is for messages. */
MUST_USE bool copy_content(int from, int to, const char *path, struct err *err);

/* Owner, permission bits, extended attributes and times, as far as the user may set them; the bits
 * and times are required. Last of all, for everything else changes the times. */
MUST_USE bool copy_attributes(int from, int to, const struct stat *status, const char *path,
                              struct err *err);

#endif
