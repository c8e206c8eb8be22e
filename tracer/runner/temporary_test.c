#include "temporary.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/base/own.h"

Test(temporary, a_path_is_inside_a_folder_only_below_its_whole_name)
{
    cr_assert(temporary_is_inside("/a/b/c", "/a/b"));
    cr_assert(temporary_is_inside("/a/b", "/a/b"));
    cr_assert(temporary_is_inside("/a", "/"));
    cr_assert_not(temporary_is_inside("/a/bc", "/a/b"));
    cr_assert_not(temporary_is_inside("/a", "/a/b"));
}

Test(temporary, the_place_is_tmpdir_unless_it_is_to_be_avoided)
{
    struct err err = {0};
    char folder[] = "/var/tmp/temporary-test-XXXXXX";
    cr_assert(mkdtemp(folder));
    cr_assert_eq(setenv("TMPDIR", folder, 1), 0);
    char *place OWN(own_mem) = NULL;
    char *other OWN(own_mem) = NULL;
    cr_assert(temporary_parent(NULL, &place, &err), "%s", err.text);
    cr_assert_str_eq(place, folder);
    cr_assert(temporary_parent(folder, &other, &err), "%s", err.text);
    cr_assert_str_eq(other, "/tmp");
    cr_assert_eq(rmdir(folder), 0);
}

Test(temporary, the_parent_of_a_name_in_the_root_is_the_root)
{
    char *root OWN(own_mem) = temporary_parent_of("/a");
    char *below OWN(own_mem) = temporary_parent_of("/a/b");
    cr_assert_str_eq(root, "/");
    cr_assert_str_eq(below, "/a");
}
