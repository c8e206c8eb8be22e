/* Saves version 2 of a document. Fault: the old version is cut off before the new one is there. */
#include "worker.h"

static void save_in_place(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    must(fd >= 0, path);
    put_document(fd, 2);
    must(fsync(fd) == 0 && close(fd) == 0, "fsync");
}

int main(int argc, char **argv)
{
    const char *path = argc > 2 ? argv[2] : "doc";
    if (is_good(argc, argv)) {
        save_by_rename(path, 2);
    } else {
        save_in_place(path);
    }
    promise(2);
    return 0;
}
