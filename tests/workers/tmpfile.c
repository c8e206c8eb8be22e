/* A new document through O_TMPFILE and linkat. Fault: it gets its name before its content. */
#include "worker.h"

static void give_name(int fd)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    must(linkat(AT_FDCWD, path, AT_FDCWD, "doc", AT_SYMLINK_FOLLOW) == 0, "linkat");
}

int main(int argc, char **argv)
{
    bool good = is_good(argc, argv);
    int fd = open(".", O_WRONLY | O_TMPFILE, 0644);
    must(fd >= 0, "O_TMPFILE");
    if (!good) {
        give_name(fd);
    }
    put_document(fd, 1);
    must(fsync(fd) == 0, "fsync");
    if (good) {
        give_name(fd);
    }
    sync_folder(".");
    promise(1);
    return 0;
}
