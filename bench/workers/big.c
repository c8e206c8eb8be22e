/* big touch N - overwrites N blocks of 4 KiB, spread over the file `big`, which must be there.
 * big write MIB - writes the file `big` anew, MIB mebibytes of it in blocks of 4 KiB. */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"

enum { BLOCK = 4096, BLOCKS_OF_MIB = 256, STRIDE = 7919 /* prime: no two blocks are the same */ };

static bool put_block(int fd, char *block, uint64_t stamp, uint64_t number)
{
    memcpy(block, &stamp, sizeof stamp);
    return pwrite(fd, block, BLOCK, (off_t)(number * BLOCK)) == BLOCK;
}

int main(int argc, char **argv)
{
    static char block[BLOCK];
    const bool is_write = argc > 1 && strcmp(argv[1], "write") == 0;
    const long count = clock_number(argc, argv, 2, 100) * (is_write ? BLOCKS_OF_MIB : 1);
    const int fd = open("big", is_write ? O_CREAT | O_TRUNC | O_WRONLY : O_WRONLY, 0644);
    struct stat facts;
    if (fd < 0 || fstat(fd, &facts) != 0 || (!is_write && facts.st_size < BLOCK))
        return 1;
    const uint64_t blocks = is_write ? (uint64_t)count : (uint64_t)facts.st_size / BLOCK;
    const int64_t began = clock_ns();
    for (long i = 0; i < count; i++) {
        const uint64_t number = is_write ? (uint64_t)i : (uint64_t)i * STRIDE % blocks;
        if (!put_block(fd, block, (uint64_t)i + 1, number))
            return 1;
    }
    const int status = clock_report(began);
    close(fd);
    return status;
}
