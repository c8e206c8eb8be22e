/* sha256.h - SHA-256 of files and bytes, as OpenSSL computes it. */
#ifndef SCENARIOS_SHA256_H
#define SCENARIOS_SHA256_H

#include <stddef.h>

#include "tracer/base/err.h"

enum { SHA256_TEXT = 65 }; /* 64 small hexadecimal digits and a NUL */

/* Of the whole file, from its beginning; the offset of fd is not used. */
MUST_USE bool sha256_file(int fd, char out[SHA256_TEXT], struct err *err);

/* The same of its text with line ends normalised: CR LF and single CR count as LF. */
MUST_USE bool sha256_lines(int fd, char out[SHA256_TEXT], struct err *err);

MUST_USE bool sha256_bytes(const void *data, size_t size, char out[SHA256_TEXT], struct err *err);

#endif
