/* A log whose recovery is at fault, not its writer. `mend save` appends records, each synced and
 * then promised. `mend good` and `mend bad` take an incomplete record off its end. Fault: the bad
 * one cuts the log to nothing and writes the whole records anew, in place: killed in between, it
 * has lost what was promised. */
#include "worker.h"

enum { RECORDS = 3, SIZE_MAX_LOG = 4096 };

static void save(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    must(fd >= 0, path);
    for (long number = 1; number <= RECORDS; number++) {
        put_record(fd, number);
        must(fsync(fd) == 0, "fsync");
        promise(number);
    }
    close(fd);
}

static void mend(const char *path, bool good)
{
    static char text[SIZE_MAX_LOG];
    int fd = open(path, O_RDWR);
    if (fd < 0) {
        return; /* there is nothing yet */
    }
    ssize_t size = read(fd, text, sizeof text);
    must(size >= 0, "read");
    ssize_t whole = size;
    while (whole > 0 && text[whole - 1] != '\n') {
        whole--;
    }
    if (whole != size) {
        must(ftruncate(fd, good ? whole : 0) == 0, "ftruncate");
        must(good || pwrite(fd, text, whole, 0) == whole, "pwrite");
        must(fsync(fd) == 0, "fsync");
    }
    close(fd);
}

int main(int argc, char **argv)
{
    must(argc > 1, "usage: mend save|good|bad");
    if (strcmp(argv[1], "save") == 0) {
        save("log");
    } else {
        mend("log", is_good(argc, argv));
    }
    return 0;
}
