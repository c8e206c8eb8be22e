#include "strings.h"

#include <criterion/criterion.h>
#include <stdio.h>

Test(strings, the_empty_string_is_number_0_also_of_an_empty_table)
{
    struct strings strings = {0};
    cr_expect_str_eq(strings_get(&strings, 0), "");
    cr_expect_eq(strings_add(&strings, ""), 0);
    cr_expect_eq(strings_add_range(&strings, "abc", 0), 0);
    strings_fini(&strings);
}

Test(strings, equal_strings_share_a_number_and_others_do_not)
{
    struct strings strings = {0};
    const uint32_t db = strings_add(&strings, "db");
    cr_expect_neq(db, 0);
    cr_expect_eq(strings_add(&strings, "db"), db);
    cr_expect_eq(strings_add_range(&strings, "db.tmp", 2), db);
    cr_expect_neq(strings_add(&strings, "db.tmp"), db);
    cr_expect_neq(strings_add(&strings, "d"), db);
    cr_expect_str_eq(strings_get(&strings, db), "db");
    strings_fini(&strings);
}

Test(strings, odd_bytes_come_back)
{
    struct strings strings = {0};
    const uint32_t odd = strings_add(&strings, "a\nb\xff\x01");
    cr_expect_str_eq(strings_get(&strings, odd), "a\nb\xff\x01");
    strings_fini(&strings);
}

Test(strings, a_string_stays_where_it_is_while_the_table_grows)
{
    enum { MANY = 20000 };
    struct strings strings = {0};
    char name[32];
    const char *first = strings_get(&strings, strings_add(&strings, "first"));
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "file%u", i);
        cr_assert_eq(strings_add(&strings, name), i + 2);
    }
    cr_expect_str_eq(strings_get(&strings, MANY + 1), "file19999");
    cr_expect_eq(strings_get(&strings, 1), first);
    strings_fini(&strings);
}
