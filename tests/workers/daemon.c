/* Saves a document and leaves a daemon behind that never ends. */
#include <signal.h>

#include "worker.h"

int main(void)
{
    if (fork() == 0) {
        setsid();
        pause();
        _exit(0);
    }
    save_by_rename("doc", 2);
    promise(2);
    return 0;
}
