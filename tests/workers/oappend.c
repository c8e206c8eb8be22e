/* Two descriptors of one log take turns. Fault: the bad twin opens them without O_APPEND, so that
 * each overwrites what the other wrote: already its complete run is wrong. */
#include "worker.h"

int main(int argc, char **argv)
{
    int mode = O_WRONLY | O_CREAT | (is_good(argc, argv) ? O_APPEND : 0);
    int fds[2] = {open("log", mode, 0644), open("log", mode, 0644)};
    must(fds[0] >= 0 && fds[1] >= 0, "log");
    for (long number = 1; number <= 6; number++) {
        put_record(fds[number % 2], number);
    }
    must(fsync(fds[0]) == 0, "fsync");
    return 0;
}
