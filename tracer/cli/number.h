/* number.h - numbers that a user typed: all of the word or nothing. */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* A decimal number without sign. false: not one, or too large. */
bool number_parse(const char *text, uint64_t *out);

/* Seconds with up to nine digits after the point ("2", "0.5"), as nanoseconds. false: not such, or
 * more than a hundred years. */
bool number_parse_seconds(const char *text, int64_t *out_ns);

/* "I/N" with 1 <= I <= N; *shard counts from 0. */
bool number_parse_shard(const char *text, uint32_t *shard, uint32_t *shards);

#endif
