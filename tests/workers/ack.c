/* Promises records. Fault: says "saved" before the record is in the log. */
#include "worker.h"

int main(int argc, char **argv)
{
    bool good = is_good(argc, argv);
    int fd = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644);
    must(fd >= 0, "log");
    for (long number = 1; number <= 5; number++) {
        if (!good) {
            promise(number);
        }
        put_record(fd, number);
        must(fsync(fd) == 0, "fsync");
        if (good) {
            promise(number);
        }
    }
    return 0;
}
