/* Overwrites a document in place with one pwritev: whole under kill, not when it is torn. The
 * honest twin writes a new file the same way and renames it. */
#include <sys/uio.h>

#include "worker.h"

int main(int argc, char **argv)
{
    bool good = is_good(argc, argv);
    size_t size;
    char *text = document(2, &size);
    struct iovec parts[3] = {
        {text, 5}, {text + 5, size / 2}, {text + 5 + size / 2, size - 5 - size / 2}};
    int fd = open(good ? "new" : "doc", O_WRONLY | O_CREAT, 0644);
    must(fd >= 0 && pwritev(fd, parts, 3, 0) == (ssize_t)size && fsync(fd) == 0, "pwritev");
    if (good) {
        must(rename("new", "doc") == 0, "rename");
        sync_folder(".");
    }
    promise(2);
    return 0;
}
