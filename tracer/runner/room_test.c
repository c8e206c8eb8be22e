#include "room.h"

#include <criterion/criterion.h>

#include "tracer/trace/example_test.h"

Test(room, it_is_what_the_largest_workspace_holds)
{
    struct example example;
    example_init(&example);
    example_begin(&example);
    const uint32_t a = example_create(&example, "a");
    const uint32_t b = example_create(&example, "b");
    example_write(&example, a, 0, "0123456789");
    example_write(&example, a, 0, "0123456789");  /* the same place again */
    example_write(&example, b, 1000000, "01234"); /* a hole takes no room */
    example_op(&example, (struct op){.kind = OP_UNLINK, .dir = NODE_ROOT, .node = a}, "a", NULL);
    example_write(&example, b, 0, "012");
    cr_assert_eq(room_needed(example_finish(&example)), 15);
    example_fini(&example);
}

Test(room, there_is_some_memory)
{
    cr_assert_gt(room_memory(), 1 << 20);
}
