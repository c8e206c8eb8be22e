/* Saves a document and leaves a daemon behind that never ends; or, started as "daemon self", never
 * ends itself. */
#include <signal.h>

#include "worker.h"

int main(int argc, char **argv)
{
    bool self = argc > 1 && strcmp(argv[1], "self") == 0;
    if (!self && fork() == 0) {
        setsid();
        pause();
        _exit(0);
    }
    save_by_rename("doc", 2);
    promise(2);
    if (self) {
        pause();
    }
    return 0;
}
