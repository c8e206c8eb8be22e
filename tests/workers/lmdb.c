/* Puts keys into an LMDB environment, a transaction each, and promises them. Started as:
 * lmdb init, lmdb put [writemap], or lmdb check: opens it and looks whether each promised key is
 * there. */
#include <lmdb.h>

#include "worker.h"

enum { KEYS = 3 };

static void fine(int code, const char *what)
{
    if (code != 0) {
        fprintf(stderr, "%s: %s\n", what, mdb_strerror(code));
        exit(1);
    }
}

static void put_key(MDB_env *env, long number)
{
    MDB_txn *txn;
    MDB_dbi table;
    fine(mdb_txn_begin(env, NULL, 0, &txn), "begin");
    fine(mdb_dbi_open(txn, NULL, 0, &table), "open table");
    MDB_val key = {sizeof number, &number};
    fine(mdb_put(txn, table, &key, &key, 0), "put");
    fine(mdb_txn_commit(txn), "commit");
}

static void check_key(MDB_env *env, long number)
{
    MDB_txn *txn;
    MDB_dbi table;
    fine(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), "begin");
    fine(mdb_dbi_open(txn, NULL, 0, &table), "open table");
    MDB_val key = {sizeof number, &number};
    MDB_val value;
    fine(mdb_get(txn, table, &key, &value), "a promised key is missing");
    mdb_txn_abort(txn);
}

int main(int argc, char **argv)
{
    must(argc > 1, "usage: lmdb init | put [writemap] | check");
    bool check = strcmp(argv[1], "check") == 0;
    MDB_env *env;
    fine(mdb_env_create(&env), "create");
    fine(mdb_env_set_mapsize(env, 1 << 20), "map size");
    fine(mdb_env_open(env, "db", MDB_NOSUBDIR | (argc > 2 ? MDB_WRITEMAP : 0), 0644), "open");
    if (check) {
        for (long number = 1; number <= promised(); number++) {
            check_key(env, number);
        }
        return 0;
    }
    if (strcmp(argv[1], "init") == 0) {
        return 0;
    }
    for (long number = 1; number <= KEYS; number++) {
        put_key(env, number);
        promise(number);
    }
    return 0;
}
