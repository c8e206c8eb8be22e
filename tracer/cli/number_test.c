#include "number.h"

#include <criterion/criterion.h>

Test(number, a_word_is_a_number_as_a_whole_or_not_at_all)
{
    static const struct {
        const char *text;
        bool is_number;
        uint64_t value;
    } rows[] = {
        {"0", true, 0},
        {"5000", true, 5000},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"", false, 0},
        {"-1", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1k", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t value = 0;
        cr_expect_eq(number_parse(rows[i].text, &value), rows[i].is_number, "'%s'", rows[i].text);
        cr_expect_eq(value, rows[i].value, "'%s'", rows[i].text);
    }
}

Test(number, seconds_keep_their_fraction)
{
    static const struct {
        const char *text;
        int64_t ns; /* -1: refused */
    } rows[] = {
        {"1", 1000000000}, {"0.5", 500000000},  {"2.000000001", 2000000001},
        {"1.", -1},        {".5", -1},          {"1.0000000001", -1},
        {"1s", -1},        {"99999999999", -1}, {"-1", -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t ns = -1;
        cr_expect_eq(number_parse_seconds(rows[i].text, &ns), rows[i].ns >= 0, "'%s'",
                     rows[i].text);
        cr_expect_eq(ns, rows[i].ns, "'%s'", rows[i].text);
    }
}

Test(number, shards_count_from_one_to_their_number)
{
    uint32_t shard = 9;
    uint32_t shards = 9;
    cr_expect(number_parse_shard("1/4", &shard, &shards));
    cr_expect_eq(shard, 0);
    cr_expect_eq(shards, 4);
    cr_expect(number_parse_shard("4/4", &shard, &shards));
    cr_expect_eq(shard, 3);
    cr_expect_not(number_parse_shard("0/4", &shard, &shards));
    cr_expect_not(number_parse_shard("5/4", &shard, &shards));
    cr_expect_not(number_parse_shard("1", &shard, &shards));
    cr_expect_not(number_parse_shard("1/", &shard, &shards));
    cr_expect_not(number_parse_shard("1/4x", &shard, &shards));
}
