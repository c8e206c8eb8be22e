/* compute N - N million steps of arithmetic, with one write for each million: bound by the
 * processor, as most of a real program's time is. */
#include <fcntl.h>
#include <unistd.h>

#include "clock.h"

int main(int argc, char **argv)
{
    const long count = clock_number(argc, argv, 1, 500);
    const int fd = open("log", O_CREAT | O_TRUNC | O_WRONLY, 0644);
    if (fd < 0)
        return 1;
    uint64_t state = 1;
    const int64_t began = clock_ns();
    for (long i = 0; i < count; i++) {
        for (int step = 0; step < 1000000; step++)
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        if (write(fd, &state, sizeof state) != sizeof state)
            return 1;
    }
    const int status = clock_report(began);
    close(fd);
    return status;
}
