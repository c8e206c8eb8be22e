/* Replaces a whole directory. Fault: between two renames there is none. Both go on to write below
 * the renamed directory, through a descriptor and a path that they had before. */
#include <sys/stat.h>
#include <sys/syscall.h>

#include "worker.h"

enum { EXCHANGE = 2 };

int main(int argc, char **argv)
{
    bool good = is_good(argc, argv);
    must(mkdir("next", 0755) == 0 && mkdir("next/deep", 0755) == 0, "mkdir");
    int deep = open("next/deep", O_RDONLY | O_DIRECTORY);
    int fd = open("next/doc", O_WRONLY | O_CREAT | O_EXCL, 0644);
    must(deep >= 0 && fd >= 0, "next");
    put_document(fd, 2);
    must(fsync(fd) == 0, "fsync");
    sync_folder("next");
    if (good) {
        must(syscall(SYS_renameat2, AT_FDCWD, "next", AT_FDCWD, "current", EXCHANGE) == 0, "swap");
    } else {
        must(rename("current", "old") == 0 && rename("next", "current") == 0, "rename");
    }
    sync_folder(".");
    promise(2);
    int later = openat(deep, "later", O_WRONLY | O_CREAT, 0644);
    must(later >= 0 && fchdir(deep) == 0, "later");
    put(later, "later\n", 6);
    must(rename("later", "../later") == 0, "rename later");
    return 0;
}
