#include "likeness.h"

#include <criterion/criterion.h>

#include "tracer/trace/example_test.h"

struct made {
    const char *name;
    const char *payload;
    bool is_synced;
};

static const struct trace *make(struct example *example, struct made made)
{
    example_init(example);
    const uint32_t node = example_create(example, made.name);
    example_write(example, node, 0, made.payload);
    if (made.is_synced)
        example_sync(example, node);
    return example_finish(example);
}

static enum likeness compare(struct made first, struct made again)
{
    struct example a;
    struct example b;
    const struct trace *x = make(&a, first);
    const struct trace *y = make(&b, again);
    enum likeness out = ALIKE_NOT;
    struct err err = {0};
    cr_assert(likeness(x, y, y->count, &out, &err), "%s", err.text);
    example_fini(&a);
    example_fini(&b);
    return out;
}

Test(likeness, equal_recordings_are_alike_wholly)
{
    const struct made made = {"log", "hello", true};
    cr_expect_eq(compare(made, made), ALIKE_WHOLLY);
}

Test(likeness, a_recording_that_was_ended_early_or_inside_its_last_write_is_still_alike)
{
    const struct made whole = {"log", "hello", true};
    cr_expect_eq(compare(whole, (struct made){"log", "hello", false}), ALIKE_WHOLLY);
    cr_expect_eq(compare(whole, (struct made){"log", "hel", false}), ALIKE_WHOLLY);
}

Test(likeness, another_temporary_name_or_other_bytes_are_alike_in_shape_only)
{
    const struct made made = {"tmp-abc", "hello", true};
    cr_expect_eq(compare(made, (struct made){"tmp-xyz", "hello", true}), ALIKE_IN_SHAPE);
    cr_expect_eq(compare(made, (struct made){"tmp-abc", "hallo", true}), ALIKE_IN_SHAPE);
}

Test(likeness, the_end_that_a_kill_makes_is_no_difference)
{
    struct example a;
    struct example b;
    const struct trace *x = make(&a, (struct made){"tmp-abc", "hello", true});
    example_init(&b);
    const uint32_t node = example_create(&b, "tmp-xyz");
    example_write(&b, node, 0, "hallo");
    example_op(&b, (struct op){.kind = OP_EXIT, .size = 9}, "", NULL);
    const struct trace *y = example_finish(&b);
    enum likeness out = ALIKE_NOT;
    struct err err = {0};
    cr_assert(likeness(x, y, y->count, &out, &err));
    cr_expect_eq(out, ALIKE_IN_SHAPE);
    example_fini(&a);
    example_fini(&b);
}

Test(likeness, another_call_is_not_alike)
{
    struct example a;
    struct example b;
    const struct trace *x = make(&a, (struct made){"log", "hello", true});
    example_init(&b);
    const uint32_t node = example_create(&b, "log");
    example_truncate(&b, node, 0);
    const struct trace *y = example_finish(&b);
    enum likeness out = ALIKE_WHOLLY;
    struct err err = {0};
    cr_assert(likeness(x, y, y->count, &out, &err));
    cr_expect_eq(out, ALIKE_NOT);
    example_fini(&a);
    example_fini(&b);
}
