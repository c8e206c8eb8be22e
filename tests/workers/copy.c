/* Copies "source" over "doc" by a call in which the kernel moves the bytes. Started as:
 * copy good|bad sendfile|copy_file_range|splice|ficlone. Fault: it copies over the old document. */
#include <errno.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "worker.h"

static ssize_t spliced(int from, int to, size_t size)
{
    int ends[2];
    must(pipe(ends) == 0, "pipe");
    ssize_t in = splice(from, NULL, ends[1], NULL, size, 0);
    ssize_t out = in > 0 ? splice(ends[0], NULL, to, NULL, in, 0) : in;
    close(ends[0]);
    close(ends[1]);
    return out;
}

static void copy(const char *how, int from, int to, size_t size)
{
    if (strcmp(how, "ficlone") == 0) {
        must(ioctl(to, FICLONE, from) == 0, "FICLONE");
        return;
    }
    // In two pieces: there is a state with the first one alone.
    for (size_t done = 0; done < size;) {
        size_t piece = done == 0 ? size / 2 : size - done;
        ssize_t moved = strcmp(how, "sendfile") == 0 ? sendfile(to, from, NULL, piece)
                        : strcmp(how, "copy_file_range") == 0
                            ? copy_file_range(from, NULL, to, NULL, piece, 0)
                            : spliced(from, to, piece);
        must(moved > 0, how);
        done += moved;
    }
}

int main(int argc, char **argv)
{
    bool good = is_good(argc, argv);
    const char *how = argc > 2 ? argv[2] : "sendfile";
    struct stat status;
    int from = open("source", O_RDONLY);
    int to = open(good ? "new" : "doc", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    must(from >= 0 && to >= 0 && fstat(from, &status) == 0, "open");
    copy(how, from, to, status.st_size);
    must(fsync(to) == 0, "fsync");
    if (good) {
        must(rename("new", "doc") == 0, "rename");
        sync_folder(".");
    }
    promise(2);
    return 0;
}
