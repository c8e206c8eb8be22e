#include "input.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(input, .timeout = 20);

static struct input *open_it(void)
{
    struct err err = {0};
    struct input *input = NULL;
    cr_assert(input_open(&input, &err), "%s", err.text);
    return input;
}

static int begin(struct input *input)
{
    struct err err = {0};
    int fd = -2;
    cr_assert(input_begin(input, &fd, &err), "%s", err.text);
    return fd;
}

/* Reads to the end; gives the number of bytes, and the first ones. */
static size_t read_all(int fd, char *first, size_t first_size)
{
    size_t total = 0;
    char piece[10000];
    for (;;) {
        const ssize_t got = read(fd, piece, sizeof piece);
        cr_assert_geq(got, 0);
        if (total == 0)
            memcpy(first, piece, (size_t)got < first_size ? (size_t)got : first_size);
        if (got == 0)
            return total;
        total += (size_t)got;
    }
}

/* A process that writes `size` bytes to our stdin. */
static pid_t produce(size_t size)
{
    int ends[2];
    cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
    const pid_t producer = fork();
    if (producer == 0) {
        close(ends[0]);
        for (size_t i = 0; i < size; i++) {
            const char byte = (char)('a' + i % 26);
            if (write(ends[1], &byte, 1) != 1)
                _exit(1);
        }
        _exit(0);
    }
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    return producer;
}

Test(input, what_came_through_a_pipe_is_there_for_every_run)
{
    const pid_t producer = produce(200000);
    struct input *input = open_it();
    for (int run = 0; run < 3; run++) {
        char first[4] = "";
        const int fd = begin(input);
        cr_assert_eq(read_all(fd, first, 3), 200000, "run %d", run);
        cr_assert_str_eq(first, "abc");
        input_end(input, fd);
    }
    waitpid(producer, NULL, 0);
    input_close(input);
}

Test(input, a_worker_that_does_not_read_blocks_nobody)
{
    const pid_t producer = produce(500000);
    struct input *input = open_it();
    input_end(input, begin(input));
    input_end(input, begin(input));
    input_close(input);
    close(STDIN_FILENO);
    int status = 0;
    cr_assert_eq(waitpid(producer, &status, 0), producer);
}

Test(input, no_child_of_ours_feeds_it)
{
    const pid_t producer = produce(10);
    struct input *input = open_it();
    const int fd = begin(input);
    waitpid(producer, NULL, 0);
    cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1);
    cr_assert_eq(errno, ECHILD);
    input_end(input, fd);
    input_close(input);
}

Test(input, a_file_is_read_from_where_the_caller_stood)
{
    char path[] = "/tmp/input-test-XXXXXX";
    const int file = mkstemp(path);
    unlink(path);
    cr_assert_eq(write(file, "0123456789", 10), 10);
    lseek(file, 4, SEEK_SET);
    dup2(file, STDIN_FILENO);
    struct input *input = open_it();
    for (int run = 0; run < 2; run++) {
        char first[7] = "";
        const int fd = begin(input);
        cr_assert_eq(read_all(fd, first, 6), 6);
        cr_assert_str_eq(first, "456789");
        input_end(input, fd);
    }
    input_close(input);
}

Test(input, dev_null_is_empty_each_time)
{
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    struct input *input = open_it();
    char first[1];
    const int fd = begin(input);
    cr_assert_geq(fd, 0);
    cr_assert_eq(read_all(fd, first, 1), 0);
    input_end(input, fd);
    input_close(input);
}

Test(input, a_terminal_is_handed_on)
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    cr_assert_eq(grantpt(terminal), 0);
    cr_assert_eq(unlockpt(terminal), 0);
    const int end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    dup2(end, STDIN_FILENO);
    struct input *input = open_it();
    cr_assert_eq(begin(input), -1);
    input_end(input, -1);
    input_close(input);
}
