/* Fills cells of a table through a shared mapping. Started as: mapped good|bad|unordered.
 * Faults: bad makes the header durable before the cells; unordered leaves the order of both pages
 * to the kernel. */
#include <sys/mman.h>

#include "worker.h"

enum { HEADER_AT = 0, BODY_AT = 8192, MAPPED_SIZE = 16384, CELLS = 3 };

int main(int argc, char **argv)
{
    bool good = is_good(argc, argv);
    bool unordered = strcmp(argv[1], "unordered") == 0;
    int fd = open("table", O_RDWR);
    must(fd >= 0, "table");
    char *map = mmap(NULL, MAPPED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    must(map != MAP_FAILED, "mmap");
    volatile long *count = (volatile long *)(map + HEADER_AT);
    volatile long *cells = (volatile long *)(map + BODY_AT);
    for (long cell = 0; cell < CELLS; cell++) {
        if (good || unordered) {
            cells[cell] = cell + 1;
        } else {
            *count = cell + 1;
        }
        must(unordered || msync(map, MAPPED_SIZE, MS_SYNC) == 0, "msync");
        if (good || unordered) {
            *count = cell + 1;
        } else {
            cells[cell] = cell + 1;
        }
        must(msync(map, MAPPED_SIZE, MS_SYNC) == 0, "msync");
    }
    return 0;
}
