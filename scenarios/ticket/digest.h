/* digest.h - SHA-256 as it stands in events, receipts and the ledger: 64 lowercase hex digits. */
#ifndef TICKET_DIGEST_H
#define TICKET_DIGEST_H

#include <stddef.h>

enum { DIGEST_SIZE = 64 };

void digest_of(const void *bytes, size_t size, char out[DIGEST_SIZE + 1]);

#endif
