/* Asks for io_uring first and falls back to write, as libraries do. No fault: says which it got. */
#include <errno.h>
#include <linux/io_uring.h>
#include <sys/syscall.h>

#include "worker.h"

int main(void)
{
    struct io_uring_params params = {0};
    long ring = syscall(SYS_io_uring_setup, 4, &params);
    fprintf(stderr, "io_uring: %s\n", ring < 0 ? strerror(errno) : "there");
    save_by_rename("doc", 2);
    promise(2);
    return 0;
}
