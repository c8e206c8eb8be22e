#include "environment.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct environment environment;

static const char *find(const char *name)
{
    const char *found = NULL;
    size_t times = 0;
    for (char **item = environment.items; *item; item++) {
        if (strncmp(*item, name, strlen(name)) != 0 || (*item)[strlen(name)] != '=')
            continue;
        found = *item + strlen(name) + 1;
        times++;
    }
    cr_assert_leq(times, 1, "%s is there twice", name);
    return found;
}

Test(environment, additions_win_over_the_callers_and_brinks_over_both)
{
    const char *const additions[] = {"COLOUR=red", "BRINK_STATE=none", "BRINK_ACKED=x", NULL};
    cr_assert_eq(setenv("COLOUR", "blue", 1), 0);
    cr_assert_eq(setenv("BRINK_MODEL", "outer", 1), 0);
    cr_assert_eq(setenv("KEPT", "1", 1), 0);
    environment_init(&environment, additions);
    environment_put(&environment, "BRINK_ACKED", "/path");
    const struct state state = {.id = "0123456789abcdef", .model = MODEL_TORN};
    environment_set_state(&environment, &state);
    cr_assert_str_eq(find("COLOUR"), "red");
    cr_assert_str_eq(find("KEPT"), "1");
    cr_assert_str_eq(find("BRINK_STATE"), "0123456789abcdef");
    cr_assert_str_eq(find("BRINK_MODEL"), "torn");
    cr_assert_str_eq(find("BRINK_ACKED"), "/path");
    environment_fini(&environment);
}
