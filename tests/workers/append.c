/* Appends ten records to a log, one write each. No fault of its own under kill; a recovery that
 * takes a torn tail for a record is the fault. With a number: that many records, no promise. */
#include "worker.h"

int main(int argc, char **argv)
{
    long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    int fd = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644);
    must(fd >= 0, "log");
    for (long number = 1; number <= (count ? count : 10); number++) {
        put_record(fd, number);
        if (count == 0) {
            must(fsync(fd) == 0, "fsync");
            promise(number);
        }
    }
    return 0;
}
