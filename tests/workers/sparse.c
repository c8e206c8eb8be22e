/* Three marks in a file of 1,000 MB that is a hole otherwise. Fault: overwrites them in place. */
#include "worker.h"

int main(int argc, char **argv)
{
    static const off_t places[] = {0, 500 << 20, 1000 << 20};
    bool good = is_good(argc, argv);
    int fd = open(good ? "new" : "sparse", O_WRONLY | O_CREAT, 0644);
    must(fd >= 0 && ftruncate(fd, (1000 << 20) + 8) == 0, "sparse");
    for (size_t i = 0; i < 3; i++) {
        must(pwrite(fd, "mark two", 8, places[i]) == 8, "pwrite");
    }
    must(fsync(fd) == 0, "fsync");
    if (good) {
        must(rename("new", "sparse") == 0, "rename");
        sync_folder(".");
    }
    return 0;
}
