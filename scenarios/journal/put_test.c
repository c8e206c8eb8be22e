#include "put.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "forge_test.h"
#include "repair.h"

static char folder[] = "/tmp/put_test-XXXXXX";
static char path[PATH_MAX];

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/j.wal", folder);
}

static void remove_folder(void)
{
    unlink(path);
    cr_expect_eq(rmdir(folder), 0, "something was left beside the journal");
}

TestSuite(put, .init = make_folder, .fini = remove_folder, .timeout = 20);

static void set_content(const void *bytes, size_t size)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, bytes, size), (ssize_t)size);
    close(fd);
}

static size_t content(uint8_t bytes[1024])
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    cr_assert_geq(fd, 0);
    const ssize_t size = read(fd, bytes, 1024);
    close(fd);
    cr_assert_geq(size, 0);
    return (size_t)size;
}

static void expect_reference(void)
{
    uint8_t bytes[1024];
    cr_expect_eq(content(bytes), 99);
    cr_expect_eq(memcmp(bytes, forge_reference, 99), 0);
}

/* What a put gave: its answer, or the failure. */
struct outcome {
    bool is_done;
    struct fail fail;
    char answer[32];
};

static struct outcome put(const char *key, const char *body)
{
    struct outcome outcome = {0};
    int pipe_fds[2];
    cr_assert_eq(pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK), 0);
    struct journal_file file = {.fd = -1};
    const struct put_request request = {forge_text(key), forge_text(body), pipe_fds[1]};
    outcome.is_done = journal_file_open(&file, path, JOURNAL_APPEND, 10000, &outcome.fail) &&
                      put_run(&file, &request, &outcome.fail);
    journal_file_close(&file);
    const ssize_t got = read(pipe_fds[0], outcome.answer, sizeof outcome.answer - 1);
    outcome.answer[got < 0 ? 0 : got] = '\0';
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    return outcome;
}

Test(put, a_new_key_is_counted_and_a_known_one_replayed)
{
    cr_expect_str_eq(put("turn-1", "add-one").answer, "RESULT 1\n");
    cr_expect_str_eq(put("turn-2", "add-one").answer, "RESULT 2\n");
    cr_expect_str_eq(put("turn-1", "add-one").answer, "REPLAY 1\n");
    cr_expect_str_eq(put("turn-2", "add-one").answer, "REPLAY 2\n");
}

Test(put, the_first_record_is_the_reference)
{
    cr_assert(put("turn-1", "add-one").is_done);
    expect_reference();
}

Test(put, another_body_for_a_known_key_is_a_conflict_without_an_answer)
{
    set_content(forge_reference, 99);
    static const char *const bodies[] = {"add-two", "add-on", "add-one ", ""};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        const struct outcome outcome = put("turn-1", bodies[i]);
        cr_expect(!outcome.is_done);
        cr_expect_eq(outcome.fail.code, EXIT_CODE_CONFLICT);
        cr_expect_str_empty(outcome.answer);
    }
    expect_reference();
}

Test(put, each_of_the_99_prefixes_becomes_the_reference_again)
{
    for (size_t size = 0; size < 99; size++) {
        set_content(forge_reference, size);
        const struct outcome outcome = put("turn-1", "add-one");
        cr_expect_str_eq(outcome.answer, "RESULT 1\n", "%zu: %s", size, outcome.fail.text);
        expect_reference();
    }
}

Test(put, a_damaged_record_is_refused_by_word_and_place_and_the_file_stays_as_it_is)
{
    uint8_t damaged[198];
    uint8_t after[1024];
    forge_turn(damaged, 1, 1);
    forge_turn(damaged + 99, 2, 2);
    damaged[150] ^= 1;
    set_content(damaged, 198);
    struct stat before;
    struct stat now;
    cr_assert_eq(stat(path, &before), 0);
    const struct outcome outcome = put("turn-3", "add-one");
    cr_assert_eq(stat(path, &now), 0);
    cr_expect(!outcome.is_done);
    cr_expect_eq(outcome.fail.code, EXIT_CODE_DAMAGE);
    cr_expect_not_null(strstr(outcome.fail.text, "bad-crc at offset 99"), "%s", outcome.fail.text);
    cr_expect_str_empty(outcome.answer);
    cr_expect_eq(content(after), 198);
    cr_expect_eq(memcmp(after, damaged, 198), 0);
    cr_expect_eq(memcmp(&before.st_mtim, &now.st_mtim, sizeof now.st_mtim), 0);
    cr_expect_eq(before.st_ino, now.st_ino);
}

Test(put, what_the_disk_took_only_in_part_is_cut_off_and_not_promised)
{
    set_content(forge_reference, 99);
    /* Beyond a limit the kernel shortens a write as a full disk does. */
    const struct sigaction action = {.sa_handler = SIG_IGN};
    sigaction(SIGXFSZ, &action, NULL);
    const struct rlimit limit = {150, RLIM_INFINITY};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const struct outcome outcome = put("turn-2", "add-one");
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}), 0);
    cr_expect(!outcome.is_done);
    cr_expect_eq(outcome.fail.code, EXIT_CODE_SYSTEM);
    cr_expect_not_null(strstr(outcome.fail.text, "only 51 of the record's 99 bytes"), "%s",
                       outcome.fail.text);
    cr_expect_str_empty(outcome.answer);
    expect_reference();
}

Test(put, an_answer_that_nobody_takes_is_a_failure_and_the_record_stays)
{
    struct fail fail = {0};
    struct journal_file file = {.fd = -1};
    const struct put_request request = {forge_text("turn-1"), forge_text("add-one"), -1};
    cr_assert(journal_file_open(&file, path, JOURNAL_APPEND, 0, &fail), "%s", fail.text);
    cr_expect(!put_run(&file, &request, &fail));
    cr_expect_eq(fail.code, EXIT_CODE_SYSTEM);
    cr_expect_eq(file.fd, -1);
    expect_reference();
}

static void *put_turn_1(void *answer)
{
    snprintf(answer, 32, "%s", put("turn-1", "add-one").answer);
    return NULL;
}

Test(put, eight_threads_with_one_key_make_one_record_and_seven_replays)
{
    pthread_t threads[8];
    char answers[8][32];
    int results = 0;
    int replays = 0;
    for (int i = 0; i < 8; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, put_turn_1, answers[i]), 0);
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        results += strcmp(answers[i], "RESULT 1\n") == 0;
        replays += strcmp(answers[i], "REPLAY 1\n") == 0;
    }
    cr_expect_eq(results, 1);
    cr_expect_eq(replays, 7);
    expect_reference();
}

Test(put, a_lock_that_is_not_to_be_had_in_time_is_told_apart)
{
    struct fail fail = {0};
    struct journal_file first = {.fd = -1};
    struct journal_file second = {.fd = -1};
    cr_assert(journal_file_open(&first, path, JOURNAL_APPEND, 0, &fail), "%s", fail.text);
    cr_expect(!journal_file_open(&second, path, JOURNAL_APPEND, 50, &fail));
    cr_expect_eq(fail.code, EXIT_CODE_LOCKED);
    cr_expect_eq(second.fd, -1);
    journal_file_close(&first);
}

Test(put, a_folder_and_a_fifo_are_no_journals)
{
    struct fail fail = {0};
    struct journal_file file = {.fd = -1};
    cr_expect(!journal_file_open(&file, folder, JOURNAL_READ, 0, &fail));
    cr_expect_eq(fail.code, EXIT_CODE_USAGE);
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_expect(!journal_file_open(&file, path, JOURNAL_READ, 0, &fail));
    cr_expect_eq(fail.code, EXIT_CODE_USAGE);
}

Test(put, a_journal_that_is_not_there_has_no_records_and_is_not_made_by_readers)
{
    struct fail fail = {0};
    struct journal_file file = {.fd = -1};
    bool is_cut = true;
    cr_assert(journal_file_open(&file, path, JOURNAL_REPAIR, 0, &fail), "%s", fail.text);
    cr_expect(journal_file_scan(&file, NULL, &fail));
    cr_expect(repair_run(&file, &is_cut, &fail));
    cr_expect(!is_cut);
    cr_expect_eq(file.scan.count, 0);
    cr_expect_neq(access(path, F_OK), 0);
}

Test(put, the_damaged_sample_is_refused_and_its_bytes_are_those_that_were_kept)
{
    struct fail fail = {0};
    struct journal_file file = {.fd = -1};
    bool is_cut = false;
    uint8_t sample[100];
    cr_assert(journal_file_open(&file, "scenarios/journal/corrupt.wal", JOURNAL_READ, 0, &fail),
              "%s: run the tests in the project's folder", fail.text);
    cr_assert(journal_file_scan(&file, NULL, &fail));
    cr_expect_eq(file.scan.state, FRAME_BAD_CRC);
    cr_expect(!repair_run(&file, &is_cut, &fail));
    cr_expect_eq(fail.code, EXIT_CODE_DAMAGE);
    cr_assert_eq(pread(file.fd, sample, sizeof sample, 0), 99);
    journal_file_close(&file);
    for (int i = 0; i < 99; i++)
        cr_expect_eq(sample[i] ^ forge_reference[i], i == 90 ? 1 : 0, "byte %d", i);
}
