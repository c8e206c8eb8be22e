/* Orders something from a service on a port of 127.0.0.1. Fault: the order leaves before the log
 * knows of it. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "worker.h"

static void note(int log, long number)
{
    char line[32];
    int length = sprintf(line, "sending %ld\n", number);
    put(log, line, length);
    must(fsync(log) == 0, "fsync");
}

static void order(int service, long number)
{
    char line[32];
    int length = sprintf(line, "order %ld\n", number);
    must(send(service, line, length, 0) == length, "send");
    must(recv(service, line, sizeof line, 0) > 0, "recv");
}

int main(int argc, char **argv)
{
    bool good = is_good(argc, argv);
    must(argc > 2, "usage: sends good|bad PORT");
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(strtol(argv[2], NULL, 10)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int service = socket(AF_INET, SOCK_STREAM, 0);
    must(connect(service, (struct sockaddr *)&address, sizeof address) == 0, "connect");
    int log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644);
    must(log >= 0, "log");
    for (long number = 1; number <= 3; number++) {
        if (good) {
            note(log, number);
        }
        order(service, number);
        if (!good) {
            note(log, number);
        }
    }
    return 0;
}
