/* hex.h - bytes as hexadecimal digits and back. */
#ifndef SCENARIOS_HEX_H
#define SCENARIOS_HEX_H

#include <stddef.h>
#include <stdint.h>

/* NULL when the text is not pairs of digits. The caller frees it; never NULL for "". */
uint8_t *hex_decode(const char *text, size_t *size);

/* Small digits and a NUL. Caller frees. */
char *hex_encode(const void *data, size_t size);

#endif
