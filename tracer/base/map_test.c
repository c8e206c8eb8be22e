#include "map.h"

#include <criterion/criterion.h>

Test(map, an_empty_map_has_no_key_and_gives_none)
{
    struct map map = {0};
    size_t at = 0;
    uint64_t value = 7;
    cr_expect_not(map_get(&map, 0, &value));
    cr_expect_eq(value, 7, "a miss leaves the out parameter alone");
    cr_expect_not(map_remove(&map, 0));
    cr_expect_not(map_next(&map, &at, &value, &value));
    map_fini(&map);
}

Test(map, every_key_is_allowed_also_zero_and_the_largest)
{
    struct map map = {0};
    uint64_t value = 0;
    cr_expect(map_put(&map, 0, 1));
    cr_expect(map_put(&map, UINT64_MAX, 2));
    cr_expect_not(map_put(&map, 0, 3), "the key is not new");
    cr_expect(map_get(&map, 0, &value) && value == 3);
    cr_expect(map_get(&map, UINT64_MAX, &value) && value == 2);
    cr_expect(map_get(&map, 0, NULL));
    map_fini(&map);
}

/* A model of a map: value of each key, 0 when it is not there. */
enum { KEYS = 300, STEPS = 100000 };

static void expect_equal(const struct map *map, const uint64_t *model)
{
    size_t count = 0, seen = 0, at = 0;
    uint64_t key, value;
    for (uint64_t i = 0; i < KEYS; i++) {
        count += model[i] != 0;
        cr_assert_eq(map_get(map, i << 40, &value), model[i] != 0, "key %lu", i);
        cr_assert(model[i] == 0 || value == model[i], "key %lu", i);
    }
    while (map_next(map, &at, &key, &value)) {
        seen++;
        cr_assert_eq(model[key >> 40], value);
    }
    cr_assert_eq(seen, count);
    cr_assert_eq(map->count, count);
}

Test(map, puts_and_removes_in_any_order_leave_what_was_put_last, .timeout = 30)
{
    struct map map = {0};
    static uint64_t model[KEYS];
    uint32_t random = 1;
    for (uint64_t step = 1; step <= STEPS; step++) {
        random = random * 1664525u + 1013904223u;
        const uint64_t key = random >> 16 & 0xff;
        if (random >> 30 == 0) {
            cr_assert_eq(map_remove(&map, key << 40), model[key] != 0);
            model[key] = 0;
        } else {
            cr_assert_eq(map_put(&map, key << 40, step), model[key] == 0);
            model[key] = step;
        }
        if (step % 9973 == 0)
            expect_equal(&map, model);
    }
    expect_equal(&map, model);
    map_fini(&map);
}

Test(map, keys_that_come_and_go_do_not_make_it_grow_for_ever)
{
    struct map map = {0};
    for (uint64_t i = 0; i < STEPS; i++) {
        map_put(&map, i, i);
        cr_assert(map_remove(&map, i));
    }
    cr_expect_leq(map.capacity, 64);
    map_fini(&map);
}
