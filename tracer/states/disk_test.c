#include "disk.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
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

static struct mirror plain;

/* Files "a" and "b" of 20,000 bytes, 300 folders in each other's company with a file in each. */
static void start_plain(const char *where)
{
    struct err err = {0};
    mirror_init(&plain, where);
    struct trace *trace = &plain.random.trace;
    trace->nodes = 1000;
    for (uint32_t i = 0; i < 302; i++) {
        char name[16];
        snprintf(name, sizeof name, "d%u", i);
        struct op op = {.kind = OP_CREATE,
                        .node = 2 + i,
                        .dir = NODE_ROOT,
                        .uid = geteuid(),
                        .gid = getegid(),
                        .name = strings_add(&trace->strings, i == 0   ? "a"
                                                             : i == 1 ? "b"
                                                                      : name),
                        .mode = i < 2 ? S_IFREG | 0600 : S_IFDIR | 0700};
        cr_assert(tree_apply(plain.tree, &op, &err), "%s", err.text);
        op.dir = op.node;
        op.node += 400;
        op.mode = S_IFREG | 0600;
        cr_assert(i < 2 || tree_apply(plain.tree, &op, &err), "%s", err.text);
        const struct op data = {
            .kind = OP_WRITE, .node = 2 + i, .payload = 70000 + i, .payload_size = 20000};
        cr_assert(i >= 2 || tree_apply(plain.tree, &data, &err), "%s", err.text);
    }
    mirror_open(&plain, has_fine_times(plain.fd));
}

static ino_t inode_of(const char *name)
{
    struct stat stat;
    cr_assert_eq(fstatat(plain.fd, name, &stat, AT_SYMLINK_NOFOLLOW), 0, "%s", name);
    return stat.st_ino;
}

static bool restore_plain(bool must_compare)
{
    struct err err = {0};
    bool is_changed = false;
    cr_assert(disk_restore(plain.disk, must_compare, &is_changed, &err), "%s", err.text);
    expect_equal(&plain, 0, "restore");
    return is_changed;
}

Test(disk, a_store_through_a_mapping_is_found_by_its_bytes)
{
    start_plain("/dev/shm");
    const int fd = openat(plain.fd, "a", O_RDWR);
    char *map = mmap(NULL, 20000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    cr_assert_neq(map, MAP_FAILED);
    map[10000] ^= 1; /* the page is dirty and writable from now on */
    cr_expect(restore_plain(true));
    map[10000] ^= 1;
    munmap(map, 20000);
    close(fd);
    cr_expect(restore_plain(true));
    mirror_fini(&plain);
}

Test(disk, nothing_done_is_nothing_changed)
{
    start_plain("/dev/shm");
    cr_expect_not(restore_plain(false));
    cr_expect_not(restore_plain(true));
    mirror_fini(&plain);
}

Test(disk, a_file_that_was_moved_away_comes_back_as_the_same_inode)
{
    start_plain("/dev/shm");
    const ino_t a = inode_of("a");
    const ino_t b = inode_of("b");
    cr_assert_eq(renameat(plain.fd, "a", plain.fd, "a name that no op knows"), 0);
    cr_assert_eq(renameat(plain.fd, "b", plain.fd, "a"), 0);
    cr_expect(restore_plain(false));
    cr_expect_eq(inode_of("a"), a);
    cr_expect_eq(inode_of("b"), b);
    mirror_fini(&plain);
}

Test(disk, more_folders_than_stay_open_are_brought_back_from_inside_each_other)
{
    start_plain("/tmp");
    char from[16];
    char to[64];
    for (int i = 300; i > 2; i--) {
        snprintf(from, sizeof from, "d%d", i);
        snprintf(to, sizeof to, "d%d/in%d", (i * 7) % (i - 2) + 2, i);
        cr_assert_eq(renameat(plain.fd, from, plain.fd, to), 0);
        if (i % 2)
            cr_assert_eq(renameat(plain.fd, to, plain.fd, from), 0);
    }
    const ino_t inner = inode_of("d2");
    cr_expect(restore_plain(false));
    cr_expect_eq(inode_of("d2"), inner);
    mirror_fini(&plain);
}

Test(disk, the_hash_of_the_directory_sees_a_byte_but_not_a_time)
{
    struct tree_hash before = {0};
    struct tree_hash after = {0};
    struct err err = {0};
    start_plain("/dev/shm");
    cr_assert(disk_hash(plain.disk, false, &before, &err), "%s", err.text);
    cr_assert(disk_hash(plain.disk, true, &after, &err), "%s", err.text);
    cr_expect(tree_hash_equal(before, after), "what the tree knows is what is on disk");
    cr_assert_eq(utimensat(plain.fd, "a", NULL, 0), 0);
    cr_assert(disk_hash(plain.disk, false, &after, &err), "%s", err.text);
    cr_expect(tree_hash_equal(before, after));
    const int fd = openat(plain.fd, "a", O_WRONLY);
    cr_assert_eq(pwrite(fd, "xyz", 3, 9000), 3);
    close(fd);
    cr_assert(disk_hash(plain.disk, false, &after, &err), "%s", err.text);
    cr_expect_not(tree_hash_equal(before, after));
    mirror_fini(&plain);
}

Test(disk, what_cannot_be_made_here_is_said)
{
    struct err err = {0};
    mirror_init(&plain, "/dev/shm");
    plain.random.trace.nodes = 10;
    const struct op op = {.kind = OP_CREATE,
                          .node = 2,
                          .dir = NODE_ROOT,
                          .name = plain.random.names[0],
                          .size = makedev(1, 3),
                          .mode = S_IFCHR | 0600};
    cr_assert(tree_apply(plain.tree, &op, &err), "%s", err.text);
    mirror_open(&plain, true);
    if (geteuid() == 0)
        cr_expect_null(disk_left_out(plain.disk));
    else
        cr_expect_str_eq(disk_left_out(plain.disk), "device nodes");
    mirror_fini(&plain);
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
