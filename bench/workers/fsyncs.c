/* fsyncs N - N times: write a line of 100 bytes to the file `log`, and fsync it. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

enum { LINE = 100 };

int main(int argc, char **argv)
{
    const long count = clock_number(argc, argv, 1, 500);
    const int fd = open("log", O_CREAT | O_TRUNC | O_WRONLY, 0644);
    if (fd < 0)
        return 1;
    const int64_t began = clock_ns();
    for (long i = 0; i < count; i++) {
        char line[LINE + 1];
        snprintf(line, sizeof line, "%099ld\n", i);
        if (write(fd, line, LINE) != LINE || fsync(fd) != 0)
            return 1;
    }
    const int status = clock_report(began);
    close(fd);
    return status;
}
