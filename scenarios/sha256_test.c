#include "sha256.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int file_of(const char *text, size_t size)
{
    const int fd = memfd_create("text", MFD_CLOEXEC);
    cr_assert(fd >= 0);
    cr_assert_eq(write(fd, text, size), (ssize_t)size);
    return fd;
}

Test(sha256, a_text_has_one_hash_whatever_its_line_ends_are)
{
    static const char *const texts[] = {"a\nb\n\nc", "a\r\nb\r\n\r\nc", "a\rb\r\rc"};
    char first[SHA256_TEXT];
    char other[SHA256_TEXT];
    struct err err = {0};
    const int fd = file_of(texts[0], strlen(texts[0]));
    cr_assert(sha256_file(fd, first, &err));
    close(fd);
    for (size_t i = 0; i < 3; i++) {
        const int next = file_of(texts[i], strlen(texts[i]));
        cr_assert(sha256_lines(next, other, &err));
        cr_expect_str_eq(other, first, "text %zu", i);
        cr_assert(sha256_file(next, other, &err));
        cr_expect_eq(strcmp(other, first) == 0, i == 0, "text %zu as it is", i);
        close(next);
    }
}

Test(sha256, a_line_end_that_two_chunks_share_is_one)
{
    enum { CHUNK = 65536 };
    static char bytes[CHUNK + 1];
    char first[SHA256_TEXT];
    char other[SHA256_TEXT];
    struct err err = {0};
    memset(bytes, 'a', sizeof bytes);
    bytes[CHUNK - 1] = '\r';
    bytes[CHUNK] = '\n';
    const int split = file_of(bytes, sizeof bytes);
    cr_assert(sha256_lines(split, first, &err));
    bytes[CHUNK - 1] = '\n';
    cr_assert(sha256_bytes(bytes, CHUNK, other, &err));
    cr_expect_str_eq(first, other);
    close(split);
}
