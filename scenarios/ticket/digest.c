#include "digest.h"

#include <openssl/sha.h>

void digest_of(const void *bytes, size_t size, char out[DIGEST_SIZE + 1])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char raw[SHA256_DIGEST_LENGTH];
    SHA256(bytes, size, raw);
    for (size_t i = 0; i < sizeof raw; i++) {
        out[2 * i] = digits[raw[i] >> 4];
        out[2 * i + 1] = digits[raw[i] & 0xf];
    }
    out[DIGEST_SIZE] = '\0';
}
