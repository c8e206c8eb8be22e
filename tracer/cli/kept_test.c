#include "kept.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "tracer/base/clock.h"
#include "tracer/base/folder.h"

static char *home;
static struct store *first;
static struct store *second;

static void open_store(struct store **out)
{
    struct err err = {0};
    char *path = NULL;
    cr_assert(folder_temporary(home, &path, &err), "%s", err.text);
    const int fd = open(path, O_RDONLY | O_DIRECTORY);
    cr_assert(store_create(fd, out, &err), "%s", err.text);
    close(fd);
    free(path);
}

static void set_up(void)
{
    struct err err = {0};
    cr_assert(folder_temporary("/tmp", &home, &err), "%s", err.text);
    open_store(&first);
    open_store(&second);
}

static void tear_down(void)
{
    struct err err = {0};
    store_close(first);
    store_close(second);
    cr_assert(folder_remove(AT_FDCWD, home, &err), "%s", err.text);
    free(home);
}

TestSuite(kept, .init = set_up, .fini = tear_down, .timeout = 20);

static const char *const worker[] = {"./worker", "an argument", NULL};

static void fill(struct settings *settings)
{
    settings_init(settings);
    settings->rest = worker;
    settings->rest_count = 2;
    settings->check = "./check --all";
    settings->timeout_ns = CLOCK_SECOND * 5 / 2;
    settings->want_host_net = true;
    settings->model_wanted[MODEL_KILL] = false;
    settings->budget = 17;
    settings->shard = 1;
    settings->shards = 3;
    words_add(&settings->env, "A=b c");
    words_add(&settings->env, "B=\xff\"\n");
}

Test(kept, options_come_back_as_they_were)
{
    struct settings settings;
    struct kept kept;
    struct err err = {0};
    fill(&settings);
    cr_assert(kept_write(first, &settings, &err), "%s", err.text);
    cr_assert(kept_read(first, &kept, &err), "%s", err.text);
    cr_expect_str_eq(kept.settings.check, "./check --all");
    cr_expect_null(kept.settings.recover);
    cr_expect_eq(kept.settings.timeout_ns, 2500000000);
    cr_expect(kept.settings.want_host_net);
    cr_expect_not(kept.settings.model_wanted[MODEL_KILL]);
    cr_expect(kept.settings.model_wanted[MODEL_TORN]);
    cr_expect_eq(kept.settings.budget, 17);
    cr_expect_eq(kept.settings.shard, 1);
    cr_expect_eq(kept.settings.shards, 3);
    cr_assert_eq(kept.settings.env.count, 2);
    cr_expect_str_eq(kept.settings.env.items[0], "A=b c");
    cr_expect_str_eq(kept.settings.env.items[1], "B=\xff\"\n");
    kept_fini(&kept);
    settings_fini(&settings);
}

Test(kept, the_first_difference_is_named)
{
    struct settings settings;
    struct err err = {0};
    char *difference = NULL;
    fill(&settings);
    cr_assert(kept_write(first, &settings, &err));
    cr_assert(kept_compare(first, &settings, &difference, &err));
    cr_expect_null(difference);
    settings.check = "./check --some";
    cr_assert(kept_compare(first, &settings, &difference, &err));
    cr_expect_str_eq(difference, "--check was './check --all' and is './check --some' now");
    free(difference);
    settings.rest_count = 1;
    cr_assert(kept_compare(first, &settings, &difference, &err));
    cr_expect_str_eq(difference, "the worker was '[\"./worker\",\"an argument\"]' and is "
                                 "'[\"./worker\"]' now");
    free(difference);
    settings_fini(&settings);
}

Test(kept, runs_to_be_joined_may_differ_in_their_shard_alone)
{
    struct settings settings;
    struct err err = {0};
    char *difference = NULL;
    fill(&settings);
    cr_assert(kept_write(first, &settings, &err));
    settings.shard = 2;
    cr_assert(kept_write(second, &settings, &err));
    cr_assert(kept_compare_runs(first, second, &difference, &err));
    cr_expect_null(difference);
    settings.budget = 18;
    cr_assert(kept_write(second, &settings, &err));
    cr_assert(kept_compare_runs(first, second, &difference, &err));
    cr_expect_str_eq(difference, "--budget is '17' in one and '18' in the other");
    free(difference);
    settings_fini(&settings);
}

Test(kept, the_whole_of_all_shards_is_no_shard)
{
    struct settings settings;
    struct kept kept;
    struct err err = {0};
    fill(&settings);
    cr_assert(kept_write(first, &settings, &err));
    cr_assert(kept_copy_whole(first, second, &err), "%s", err.text);
    cr_assert(kept_read(second, &kept, &err), "%s", err.text);
    cr_expect_eq(kept.settings.shard, 0);
    cr_expect_eq(kept.settings.shards, 1);
    cr_expect_eq(kept.settings.budget, 17);
    kept_fini(&kept);
    settings_fini(&settings);
}

Test(kept, a_run_can_be_gone_on_with_only_once_it_says_so)
{
    struct err err = {0};
    bool is_resumable = true;
    cr_assert(kept_is_resumable(first, &is_resumable, &err));
    cr_expect_not(is_resumable);
    cr_assert(kept_set_resumable(first, &err));
    cr_assert(kept_is_resumable(first, &is_resumable, &err));
    cr_expect(is_resumable);
}

Test(kept, a_store_without_options_is_no_exploration)
{
    struct kept kept;
    struct err err = {0};
    cr_assert_not(kept_read(first, &kept, &err));
    cr_expect_eq(err.kind, ERR_USAGE);
}
