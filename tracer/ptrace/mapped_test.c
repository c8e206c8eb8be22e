#include "mapped.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "puppet_test.h"

/* The puppet maps a file and stores into it; the test scans at its signposts and keeps a mirror of
 * the file that is changed by what the scans report and nothing else. */

enum { PAGE = 4096, PAGES = 64, SIZE = PAGES * PAGE, NODE = 7 };

struct way {
    const char *name;
    bool want_uffd;
    uid_t user;
    bool is_late; /* the mapping is told of when its descriptor is in no register any more */
};
static const struct way ways[] = {
    {"kernel", true, 0, false},
    {"kernel, ordinary user", true, 65534, false},
    {"kernel, through the mapping", true, 0, true},
    {"comparison", false, 0, false},
    {"comparison, through the mapping", false, 0, true},
};

struct stage {
    int fd;
    size_t map_size;
    const struct way *way;
    void (*act)(struct stage *stage, char *map);
    struct mapped *mapped;
    pid_t pid;
    uint64_t address;
    uint8_t *mirror;
    size_t found_count;
    uint64_t found_offset; /* of the latest page found */
    size_t found_size;
    bool is_ordered;
};

static void in_each_way(void (*expect)(const struct way *))
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        expect(&ways[i]);
}

static bool take_page(void *context, uint32_t node, uint64_t offset, const void *bytes, size_t size,
                      struct err *err)
{
    (void)err;
    struct stage *stage = context;
    cr_assert_eq(node, NODE);
    cr_assert_leq(offset + size, SIZE);
    stage->is_ordered =
        stage->is_ordered && (stage->found_count == 0 || offset > stage->found_offset);
    stage->found_count++;
    stage->found_offset = offset;
    stage->found_size = size;
    memcpy(stage->mirror + offset, bytes, size);
    return true;
}

static uint64_t size_of(void *context, uint32_t node)
{
    (void)node;
    const struct stage *stage = context;
    struct stat info;
    cr_assert_eq(fstat(stage->fd, &info), 0);
    return (uint64_t)info.st_size;
}

static void act_map(void *context)
{
    struct stage *stage = context;
    if (stage->way->user != 0 && geteuid() == 0 &&
        setresuid(stage->way->user, stage->way->user, stage->way->user) != 0)
        _exit(8);
    char *map = mmap(NULL, stage->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, stage->fd, 0);
    if (map == MAP_FAILED)
        _exit(9);
    syscall(SYS_gettid);
    stage->act(stage, map);
}

static void add_mapping(struct stage *stage, pid_t pid)
{
    struct user_regs_struct regs;
    puppet_until(pid, SYS_mmap, PUPPET_EXIT);
    cr_assert_eq(ptrace(PTRACE_GETREGS, pid, 0, &regs), 0);
    stage->address = regs.rax;
    if (stage->way->is_late)
        puppet_until(pid, SYS_gettid, PUPPET_EXIT);
    const struct mapped_range range = {
        .process = pid, .address = regs.rax, .size = stage->map_size, .node = NODE};
    struct err err = {0};
    cr_assert(mapped_add(stage->mapped, pid, &range, &err), "%s", err.text);
}

static void stage_init(struct stage *stage, const struct way *way,
                       void (*act)(struct stage *, char *))
{
    const size_t map_size = stage->map_size == 0 ? SIZE : stage->map_size;
    *stage = (struct stage){.act = act, .map_size = map_size, .way = way, .is_ordered = true};
    stage->fd = memfd_create("stage", MFD_CLOEXEC);
    cr_assert_geq(stage->fd, 0);
    cr_assert_eq(fchmod(stage->fd, 0666), 0);
    stage->mirror = calloc(1, SIZE);
    for (size_t i = 0; i < SIZE; i += PAGE)
        stage->mirror[i] = (uint8_t)(i / PAGE + 1);
    cr_assert_eq(pwrite(stage->fd, stage->mirror, SIZE, 0), SIZE);
    stage->mapped = mapped_new(way->want_uffd);
}

static void stage_start(struct stage *stage)
{
    stage->pid = puppet_start(act_map, stage);
    add_mapping(stage, stage->pid);
}

static void stage_fini(struct stage *stage)
{
    puppet_kill(stage->pid);
    mapped_free(stage->mapped);
    free(stage->mirror);
    close(stage->fd);
}

static void scan(struct stage *stage)
{
    const struct mapped_sink sink = {take_page, size_of, stage};
    struct err err = {0};
    stage->found_count = 0;
    cr_assert(mapped_scan(stage->mapped, &sink, &err), "%s", err.text);
}

/* The next signpost, and a scan there. */
static void scan_next(struct stage *stage)
{
    puppet_until(stage->pid, SYS_getppid, PUPPET_ENTRY);
    scan(stage);
}

static void expect_mirror(const struct stage *stage, const char *when)
{
    static uint8_t real[SIZE];
    memset(real, 0, sizeof real);
    cr_assert_geq(pread(stage->fd, real, SIZE, 0), 0);
    cr_expect_arr_eq(real, stage->mirror, SIZE, "%s: pages were missed", when);
}

static void signpost(void)
{
    syscall(SYS_getppid);
}

static void act_one_store(struct stage *stage, char *map)
{
    (void)stage;
    signpost();
    map[3 * PAGE + 5] = 'x';
    signpost();
    map[3 * PAGE + 5] = 'x'; /* the same again */
    map[9 * PAGE] = map[9 * PAGE];
    signpost();
}
static void expect_a_store_is_found_once(const struct way *way)
{
    struct stage stage = {0};
    stage_init(&stage, way, act_one_store);
    stage_start(&stage);
    scan_next(&stage);
    cr_expect_eq(stage.found_count, 0, "%s: nothing was stored", way->name);
    scan_next(&stage);
    cr_expect_eq(stage.found_count, 1, "%s: one store", way->name);
    cr_expect_eq(stage.found_offset, 3 * PAGE);
    expect_mirror(&stage, way->name);
    scan_next(&stage);
    cr_expect_eq(stage.found_count, 0, "%s: nothing has changed", way->name);
    stage_fini(&stage);
}

Test(mapped, a_store_is_found_once, .timeout = 30)
{
    in_each_way(expect_a_store_is_found_once);
}

/* xorshift: the same stores in each run. */
static unsigned next_random(unsigned *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

enum { ROUNDS = 60 };

static void act_random(struct stage *stage, char *map)
{
    unsigned state = 12345;
    for (int round = 0; round < ROUNDS; round++) {
        const unsigned stores = next_random(&state) % 40;
        for (unsigned i = 0; i < stores; i++)
            map[next_random(&state) % SIZE] = (char)next_random(&state);
        /* The kernel stores as well. */
        const off_t from = (off_t)(next_random(&state) % SIZE);
        char *to = map + next_random(&state) % (SIZE - 5000);
        if (pread(stage->fd, to, next_random(&state) % 5000, from) < 0)
            _exit(7);
        if (round % 16 == 7) /* pages that are dropped and read in again */
            madvise(map, SIZE, MADV_DONTNEED);
        signpost();
    }
}
static void expect_no_store_is_missed(const struct way *way)
{
    struct stage stage = {0};
    stage_init(&stage, way, act_random);
    stage_start(&stage);
    size_t found = 0;
    for (int round = 0; round < ROUNDS; round++) {
        scan_next(&stage);
        found += stage.found_count;
        expect_mirror(&stage, way->name);
    }
    cr_expect_gt(found, ROUNDS);
    cr_expect(stage.is_ordered, "%s: not in order of offset", way->name);
    stage_fini(&stage);
}

Test(mapped, no_store_is_missed, .timeout = 30)
{
    in_each_way(expect_no_store_is_missed);
}

static void act_write(struct stage *stage, char *map)
{
    signpost();
    if (pwrite(stage->fd, map, 100, 5 * PAGE + PAGE - 50) != 100)
        _exit(7);
    signpost();
    map[5 * PAGE] = 'y';
    signpost();
}
static void expect_what_a_call_has_written_is_no_store(const struct way *way)
{
    struct stage stage = {0};
    stage_init(&stage, way, act_write);
    stage_start(&stage);
    scan_next(&stage);
    puppet_until(stage.pid, SYS_pwrite64, PUPPET_EXIT);
    mapped_written(stage.mapped, NODE, 5 * PAGE + PAGE - 50, 100);
    scan_next(&stage);
    cr_expect_eq(stage.found_count, 0, "%s", way->name);
    scan_next(&stage);
    cr_expect_eq(stage.found_count, 1, "%s", way->name);
    stage_fini(&stage);
}

Test(mapped, what_a_call_has_written_is_no_store, .timeout = 30)
{
    in_each_way(expect_what_a_call_has_written_is_no_store);
}

static void act_short(struct stage *stage, char *map)
{
    if (ftruncate(stage->fd, 2 * PAGE + 100) != 0)
        _exit(7);
    signpost();
    map[2 * PAGE + 100] = 'z';
    signpost();
    map[2 * PAGE + 99] = 'z';
    signpost();
    if (ftruncate(stage->fd, SIZE) != 0)
        _exit(7);
    map[39 * PAGE] = map[39 * PAGE]; /* a zero, as after every growth */
    map[40 * PAGE] = 'w';
    signpost();
}
static void expect_bytes_beyond_the_end_of_the_file_are_not_reported(const struct way *way)
{
    struct stage stage = {0};
    stage_init(&stage, way, act_short);
    stage_start(&stage);
    puppet_until(stage.pid, SYS_ftruncate, PUPPET_EXIT);
    mapped_written(stage.mapped, NODE, 0, 2 * PAGE + 100);
    scan_next(&stage);
    cr_expect_eq(stage.found_count, 0, "%s: nothing stored", way->name);
    scan_next(&stage);
    cr_expect_eq(stage.found_count, 0, "%s: a store beyond the end", way->name);
    scan_next(&stage);
    cr_expect_eq(stage.found_count, 1, "%s: a store before the end", way->name);
    cr_expect_eq(stage.found_size, 100);
    puppet_until(stage.pid, SYS_ftruncate, PUPPET_EXIT);
    mapped_written(stage.mapped, NODE, 0, SIZE);
    scan_next(&stage);
    cr_expect_eq(stage.found_count, 1, "%s: a store into what was added", way->name);
    cr_expect_eq(stage.found_offset, 40 * PAGE);
    stage_fini(&stage);
}

Test(mapped, bytes_beyond_the_end_of_the_file_are_not_reported, .timeout = 30)
{
    in_each_way(expect_bytes_beyond_the_end_of_the_file_are_not_reported);
}

static void act_fork(struct stage *stage, char *map)
{
    (void)stage;
    if (fork() == 0) {
        map[11 * PAGE] = 'c';
        signpost();
        _exit(0);
    }
    signpost();
    map[12 * PAGE] = 'p';
    signpost();
}
static void expect_a_forked_child_is_followed(const struct way *way)
{
    struct stage stage = {0};
    stage_init(&stage, way, act_fork);
    stage_start(&stage);
    unsigned long child = 0;
    while ((unsigned)puppet_step(stage.pid, 0) >> 8 != (SIGTRAP | PTRACE_EVENT_FORK << 8))
        continue;
    cr_assert_eq(ptrace(PTRACE_GETEVENTMSG, stage.pid, 0, &child), 0);
    int status = 0;
    cr_assert_eq(waitpid((pid_t)child, &status, __WALL), (pid_t)child);
    struct err err = {0};
    cr_assert(mapped_fork(stage.mapped, stage.pid, (pid_t)child, &err));
    puppet_until((pid_t)child, SYS_getppid, PUPPET_ENTRY);
    scan_next(&stage);
    cr_expect_eq(stage.found_count, 1, "%s: the child's store", way->name);
    cr_expect_eq(stage.found_offset, 11 * PAGE);
    puppet_kill((pid_t)child);
    mapped_remove_process(stage.mapped, (pid_t)child);
    scan_next(&stage);
    cr_expect_eq(stage.found_count, 1, "%s: the parent's store", way->name);
    cr_expect_eq(stage.found_offset, 12 * PAGE);
    stage_fini(&stage);
}

Test(mapped, a_forked_child_is_followed, .timeout = 30)
{
    in_each_way(expect_a_forked_child_is_followed);
}

static void act_twice(struct stage *stage, char *map)
{
    map[20 * PAGE] = 'a'; /* not reported yet when the second mapping is made */
    char *again = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, stage->fd, 0);
    syscall(SYS_gettid);
    signpost();
    map[21 * PAGE] = 'b';
    again[21 * PAGE + 1] = 'c';
    again[22 * PAGE] = 'd';
    signpost();
}
static void expect_a_page_that_is_mapped_twice_is_reported_once(const struct way *way)
{
    struct stage stage = {0};
    stage_init(&stage, way, act_twice);
    stage_start(&stage);
    add_mapping(&stage, stage.pid);
    scan_next(&stage);
    cr_expect_eq(stage.found_count, 1, "%s: the store from before", way->name);
    scan_next(&stage);
    cr_expect_eq(stage.found_count, 2, "%s: two pages", way->name);
    expect_mirror(&stage, way->name);
    stage_fini(&stage);
}

Test(mapped, a_page_that_is_mapped_twice_is_reported_once, .timeout = 30)
{
    in_each_way(expect_a_page_that_is_mapped_twice_is_reported_once);
}

static void act_sparse(struct stage *stage, char *map)
{
    (void)stage;
    signpost();
    map[10 * PAGE] = 's';
    signpost();
}
static void expect_the_holes_of_a_sparse_file_stay_holes(const struct way *way)
{
    if (way->is_late)
        return; /* then holes are filled by being looked at, as by the worker itself */
    struct stage stage = {.map_size = (size_t)1 << 30};
    stage_init(&stage, way, act_sparse);
    cr_assert_eq(ftruncate(stage.fd, 0), 0);
    cr_assert_eq(ftruncate(stage.fd, 1 << 30), 0);
    memset(stage.mirror, 0, SIZE);
    stage_start(&stage);
    scan_next(&stage);
    cr_expect_eq(stage.found_count, 0, "%s", way->name);
    scan_next(&stage);
    cr_expect_eq(stage.found_count, 1, "%s", way->name);
    struct stat info;
    cr_assert_eq(fstat(stage.fd, &info), 0);
    cr_expect_leq(info.st_blocks, 64, "%s: %ld blocks", way->name, (long)info.st_blocks);
    stage_fini(&stage);
}

Test(mapped, the_holes_of_a_sparse_file_stay_holes, .timeout = 30)
{
    in_each_way(expect_the_holes_of_a_sparse_file_stay_holes);
}

static void act_idle(struct stage *stage, char *map)
{
    (void)stage;
    signpost();
    map[1 * PAGE] = 'e';
    map[9 * PAGE] = 'f';
    signpost();
}

Test(mapped, what_is_no_longer_mapped_is_not_scanned, .timeout = 10)
{
    struct stage stage = {0};
    struct mapped_range range;
    stage_init(&stage, &ways[0], act_idle);
    stage_start(&stage);
    mapped_remove(stage.mapped, stage.pid, stage.address + 8 * PAGE, 4 * PAGE);
    cr_expect_not(mapped_find(stage.mapped, stage.pid, stage.address + 8 * PAGE, &range));
    cr_expect(mapped_find(stage.mapped, stage.pid, stage.address + 8 * PAGE - 1, &range));
    cr_expect(mapped_find(stage.mapped, stage.pid, stage.address + 12 * PAGE, &range));
    cr_expect_eq(range.offset, 12 * PAGE);
    scan_next(&stage);
    scan_next(&stage);
    cr_expect_eq(stage.found_count, 1);
    cr_expect_eq(stage.found_offset, 1 * PAGE);
    mapped_remove(stage.mapped, stage.pid, stage.address, SIZE);
    cr_expect(mapped_is_empty(stage.mapped));
    cr_expect_not(mapped_has_node(stage.mapped, NODE));
    stage_fini(&stage);
}

Test(mapped, the_worker_keeps_no_descriptor_of_ours, .timeout = 10)
{
    struct stage stage = {0};
    stage_init(&stage, &ways[0], act_idle);
    const int next = dup(stage.fd);
    close(next);
    stage_start(&stage);
    char path[64], target[8];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)stage.pid, next);
    cr_expect_eq(readlink(path, target, sizeof target), -1);
    stage_fini(&stage);
}

/* Userfaultfds and pagemaps that this process has open. */
static int watches_open(void)
{
    int count = 0;
    for (int fd = 0; fd < 256; fd++) {
        char path[32], target[64] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        if (readlink(path, target, sizeof target - 1) > 0)
            count += strstr(target, "[userfaultfd]") != NULL;
    }
    return count;
}

/* Whether this kernel can watch: PAGEMAP_SCAN answers a request without a size with EINVAL, and
 * older kernels do not know it (ENOTTY). */
static bool can_watch(void)
{
    uint64_t request[12] = {0};
    const int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    const bool can =
        ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, 'f', 16, 96), request) == -1 && errno == EINVAL;
    close(fd);
    return can;
}

static void expect_the_kernel_is_asked_where_it_can_answer(const struct way *way)
{
    struct stage stage = {0};
    stage_init(&stage, way, act_idle);
    stage_start(&stage);
    cr_expect_eq(watches_open(), way->want_uffd && can_watch(), "%s", way->name);
    mapped_remove_process(stage.mapped, stage.pid);
    cr_expect_eq(watches_open(), 0, "%s: left open", way->name);
    stage_fini(&stage);
}

Test(mapped, the_kernel_is_asked_where_it_can_answer, .timeout = 30)
{
    in_each_way(expect_the_kernel_is_asked_where_it_can_answer);
}
