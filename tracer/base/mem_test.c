#include "mem.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

Test(mem, new_memory_is_zero_and_never_null)
{
    char *empty = mem_new(0, 1);
    int *items = mem_new(100, sizeof *items);
    cr_expect_not_null(empty);
    for (int i = 0; i < 100; i++)
        cr_expect_eq(items[i], 0);
    free(items);
    free(empty);
}

Test(mem, a_grown_array_keeps_its_items_and_has_room)
{
    int *items = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 1000; i++) {
        mem_grow(&items, &capacity, (size_t)i + 1, sizeof *items);
        items[i] = i;
    }
    cr_expect_geq(capacity, 1000);
    for (int i = 0; i < 1000; i++)
        cr_expect_eq(items[i], i);
    const int *before = items;
    mem_grow(&items, &capacity, 10, sizeof *items);
    cr_expect_eq(items, before, "there is room already");
    free(items);
}

Test(mem, copies_are_whole)
{
    char *string = mem_string("text");
    char *range = mem_range("text", 2);
    char *block = mem_copy("a\0b", 4);
    char *format = mem_format("%s %d", string, 5);
    cr_expect_str_eq(string, "text");
    cr_expect_str_eq(range, "te");
    cr_expect_arr_eq(block, "a\0b", 4);
    cr_expect_str_eq(format, "text 5");
    free(format);
    free(block);
    free(range);
    free(string);
}

#ifndef __SANITIZE_ADDRESS__ /* it aborts by itself at such a size */
Test(mem, no_memory_ends_the_program_with_status_3, .exit_code = 3)
{
    free(mem_new(SIZE_MAX / 2, 2));
}
#endif
