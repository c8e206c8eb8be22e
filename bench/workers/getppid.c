/* getppid N - N calls that nobody records. */
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"

int main(int argc, char **argv)
{
    const long count = clock_number(argc, argv, 1, 200000);
    const int64_t began = clock_ns();
    for (long i = 0; i < count; i++) {
        if (syscall(SYS_getppid) < 0)
            return 1;
    }
    return clock_report(began);
}
