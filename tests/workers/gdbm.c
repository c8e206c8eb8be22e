/* Puts keys into a gdbm database, synced one by one, and promises them. Started as: gdbm put, or
 * gdbm check: opens it and looks whether each promised key is there. */
#include <gdbm.h>

#include "worker.h"

enum { KEYS = 3 };

static GDBM_FILE opened(int mode)
{
    GDBM_FILE db = gdbm_open("db", 0, mode | GDBM_SYNC, 0644, NULL);
    if (!db) {
        fprintf(stderr, "db: %s\n", gdbm_strerror(gdbm_errno));
        exit(1);
    }
    return db;
}

int main(int argc, char **argv)
{
    must(argc > 1, "usage: gdbm put|check");
    if (strcmp(argv[1], "check") == 0) {
        long last = promised();
        if (last == 0 && access("db", F_OK) != 0) {
            return 0;
        }
        GDBM_FILE db = opened(GDBM_READER);
        for (long number = 1; number <= last; number++) {
            datum key = {(char *)&number, sizeof number};
            must(gdbm_exists(db, key), "a promised key is missing");
        }
        return 0;
    }
    GDBM_FILE db = opened(GDBM_WRCREAT);
    for (long number = 1; number <= KEYS; number++) {
        datum key = {(char *)&number, sizeof number};
        must(gdbm_store(db, key, key, GDBM_REPLACE) == 0, "store");
        promise(number);
    }
    return gdbm_close(db);
}
