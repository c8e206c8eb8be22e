#include "disk.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/base/clock.h"
#include "tracer/base/folder.h"
#include "tracer/base/mem.h"
#include "tracer/trace/snapshot.h"
#include "vandal.h"

enum { ROUNDS = 150 };

TestSuite(disk, .timeout = 120);

/* Whether two changes in a row give two ctimes, as they do since Linux 6.13 once the first one was
 * looked at. */
static bool has_fine_times(int dir_fd)
{
    struct stat before;
    struct stat after;
    bool is_fine = true;
    const int fd = openat(dir_fd, "probe", O_CREAT | O_RDWR, 0600);
    for (int i = 0; i < 100 && is_fine; i++) {
        is_fine = fstat(fd, &before) == 0 && pwrite(fd, "x", 1, 0) == 1 && fstat(fd, &after) == 0 &&
                  before.st_ctim.tv_nsec != after.st_ctim.tv_nsec;
    }
    close(fd);
    unlinkat(dir_fd, "probe", 0);
    return is_fine;
}

struct mirror {
    const char *where;
    char path[64];
    int fd;
    struct random_ops random;
    struct tree *tree;
    struct disk *disk;
    unsigned long long seed;
};

static void mirror_init(struct mirror *mirror, const char *where)
{
    mirror->where = where;
    mirror->seed = (unsigned long long)clock_date();
    cr_log_info("seed %llu", mirror->seed);
    snprintf(mirror->path, sizeof mirror->path, "%s/brink-test-XXXXXX", where);
    cr_assert(mkdtemp(mirror->path));
    mirror->fd = open(mirror->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    random_ops_init(&mirror->random, mirror->seed);
    mirror->random.want_owner = geteuid() == 0;
    mirror->tree = tree_new(&mirror->random.trace);
    if (geteuid() != 0) { /* a folder of our own, as its tree has it */
        struct err err = {0};
        const struct op op = {
            .kind = OP_CHOWN, .node = NODE_ROOT, .uid = geteuid(), .gid = getegid()};
        cr_assert(tree_apply(mirror->tree, &op, &err));
    }
}

static void mirror_fini(struct mirror *mirror)
{
    struct err err = {0};
    disk_close(mirror->disk);
    tree_free(mirror->tree);
    random_ops_fini(&mirror->random);
    close(mirror->fd);
    const int parent = open(mirror->where, O_RDONLY | O_DIRECTORY);
    cr_assert(folder_remove(parent, strrchr(mirror->path, '/') + 1, &err), "%s", err.text);
    close(parent);
}

static void mirror_open(struct mirror *mirror, bool trust_times)
{
    struct err err = {0};
    const struct disk_options options = {
        .trust_times = trust_times, .want_owner = geteuid() == 0, .want_xattr = true};
    cr_assert(disk_open(mirror->tree, mirror->fd, &options, &mirror->disk, &err), "%s", err.text);
}

static void expect_times(const struct mirror *mirror, int round)
{
    for (uint32_t node = NODE_ROOT; node < mirror->random.trace.nodes; node++) {
        char *path = tree_path(mirror->tree, node);
        if (!path)
            continue;
        struct stat stat;
        const struct tree_node *wanted = tree_node(mirror->tree, node);
        const int64_t mtime =
            wanted->mtime_ns != -1 ? wanted->mtime_ns : tree_changed_ns(mirror->tree, node);
        if (fstatat(mirror->fd, *path ? path : ".", &stat, AT_SYMLINK_NOFOLLOW) == 0)
            cr_assert_eq(stat.st_mtim.tv_sec * CLOCK_SECOND + stat.st_mtim.tv_nsec, mtime,
                         "seed %llu, round %d: mtime of %s", mirror->seed, round, path);
        free(path);
    }
}

static void expect_equal(const struct mirror *mirror, int round, const char *after)
{
    char *difference = NULL;
    struct err err = {0};
    cr_assert(snapshot_compare(mirror->tree, mirror->fd, NULL, &difference, &err), "%s", err.text);
    cr_assert_null(difference, "seed %llu, round %d, after %s: %s", mirror->seed, round, after,
                   difference);
    expect_times(mirror, round);
}

static void run_ops(struct mirror *mirror, uint64_t max)
{
    struct err err = {0};
    for (uint64_t n = random_ops_draw(&mirror->random, max); n-- > 0;)
        cr_assert(tree_apply(mirror->tree, random_ops_next(&mirror->random, mirror->tree), &err),
                  "seed %llu: %s", mirror->seed, err.text);
}

/* Ops, sometimes taken back, then strikes; the order of moving on and restoring differs, too. */
static void one_round(struct mirror *mirror, int round)
{
    struct random_ops *random = &mirror->random;
    struct err err = {0};
    const bool is_tried = random_ops_draw(random, 3) == 0;
    if (is_tried)
        tree_mark(mirror->tree);
    run_ops(mirror, 8);
    if (random_ops_draw(random, 4)) {
        cr_assert(disk_sync(mirror->disk, &err), "seed %llu, round %d: %s", mirror->seed, round,
                  err.text);
        expect_equal(mirror, round, "sync");
    }
    bool is_mapped = false;
    for (uint64_t n = random_ops_draw(random, 5); n-- > 0;)
        is_mapped |= vandal_strike(random, mirror->path);
    if (is_tried)
        tree_undo(mirror->tree);
    cr_assert(disk_restore(mirror->disk, is_mapped, NULL, &err), "seed %llu, round %d: %s",
              mirror->seed, round, err.text);
    expect_equal(mirror, round, "restore");
}

static void fight(const char *where, bool want_trust)
{
    struct mirror mirror = {0};
    mirror_init(&mirror, where);
    run_ops(&mirror, 200);
    mirror_open(&mirror, want_trust && has_fine_times(mirror.fd));
    expect_equal(&mirror, -1, "open");
    for (int round = 0; round < ROUNDS; round++)
        one_round(&mirror, round);
    mirror_fini(&mirror);
}

Test(disk, is_exact_again_after_anything_on_a_memory_file_system)
{
    fight("/dev/shm", true);
}

Test(disk, is_exact_again_after_anything_on_a_real_file_system)
{
    fight("/tmp", true);
}

Test(disk, is_exact_again_without_trust_in_times)
{
    fight("/dev/shm", false);
}
