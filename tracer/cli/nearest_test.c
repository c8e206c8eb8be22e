#include "nearest.h"

#include <criterion/criterion.h>
#include <stdint.h>

Test(nearest, distance_counts_single_slips)
{
    static const struct {
        const char *a, *b;
        size_t distance;
    } rows[] = {
        {"", "", 0},           {"check", "check", 0}, {"check", "chek", 1},
        {"chek", "check", 1},  {"check", "cheek", 1}, {"check", "hceck", 1},
        {"check", "chekc", 1}, {"abc", "", 3},        {"kitten", "sitting", 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(nearest_distance(rows[i].a, rows[i].b), rows[i].distance, "%s to %s",
                     rows[i].a, rows[i].b);
}

Test(nearest, overlong_words_are_far_from_everything)
{
    cr_expect_eq(nearest_distance("a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), SIZE_MAX);
}

Test(nearest, a_word_that_is_nothing_like_the_others_has_no_suggestion)
{
    static const char *const words[] = {"explore", "trace", "replay"};
    cr_expect_null(nearest_word("zzz", words, 3));
    cr_expect_str_eq(nearest_word("exlpore", words, 3), "explore");
    cr_expect_str_eq(nearest_word("trac", words, 3), "trace");
}
