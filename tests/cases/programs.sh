# shellcheck shell=bash
# Real, unmodified programs. What must come out was written down before they were explored.

# SQLite holds: a rollback journal and a WAL both survive a kill and a torn write.
sqlite_check='test "$(sqlite3 db "pragma integrity_check; select count(*) between 1 and 4 from t")" = "ok
1"'
sqlite_rows="insert into t values(2, printf('%06000d', 7)); insert into t values(3, 'c'); delete from t where n = 1; insert into t values(4, 'd')"
sqlite_make="create table t(n integer primary key, v text); insert into t values(1, 'a')"
core explore sqlite-delete 0 '.models.kill.legal > 40 and .models.torn.tried >= 250 and .recorded.syncs >= 8' \
    --setup "sqlite3 db \"$sqlite_make\"" --budget 250 --check "$sqlite_check" \
    -- sqlite3 db "$sqlite_rows"
explore sqlite-wal 0 '.models.kill.legal > 15 and .models.torn.tried > 200' \
    --setup "sqlite3 db \"pragma journal_mode=wal; $sqlite_make\"" --budget 250 --check "$sqlite_check" \
    -- sqlite3 db "$sqlite_rows"
# Without a journal a transaction over several pages is lost half-way.
explore sqlite-without-journal 1 '.findings[0].path == "db" and .findings[0].weakest == "kill"' \
    --setup "sqlite3 db \"$sqlite_make; create index i on t(v)\"" --budget 250 \
    --check 'test "$(sqlite3 db "pragma integrity_check")" = ok' \
    -- sqlite3 db "pragma journal_mode=off; insert into t select value, printf('%0500d', value) from generate_series(2, 60)"

# git holds, once a recovery has removed the locks that nobody holds any more.
git_setup='git init -q . && git config user.name n && git config user.email e@x && echo one >file && git add file && git commit -qm one && echo two >file'
explore git-commit 0 '.models.kill.legal > 30 and .recorded.processes >= 1' \
    --setup "$git_setup" --budget 60 \
    --recover "find .git -name '*.lock' -delete" \
    --check 'git fsck --strict >/dev/null 2>&1 && git cat-file -e HEAD:file && test "$(git cat-file -p HEAD:file)" = "$(git log -1 --format=%s)" && git commit -qam next --allow-empty' \
    -- git commit -qam two

# taskwarrior cuts its file off and writes it again in place: a known loss.
task_setup='task add one; task add two; task add three'
task_check='test $(cat pending.data completed.data | grep -o "uuid:.[0-9a-f-]*" | sort -u | wc -l) -ge 3'
scene taskwarrior
scene_taskwarrior() {
    need task
    printf '%s\n' 'data.location=.' 'confirmation=no' 'verbose=nothing' 'gc=on' >taskrc
    export TASKRC=$PWD/taskrc
    do_explore 1 '[.findings[] | select(.path == "pending.data" and .weakest == "kill")] | length > 0' \
        --setup "$task_setup" --budget 120 --check "$task_check" -- task 1 'done'
}

# LMDB holds, through its writes and through its writable mapping, once its file has been made. Its
# lock file is made anew by whoever opens it first.
explore lmdb 0 '.recorded.syncs >= 3 and .models.kill.legal > 10' --exclude db-lock \
    --setup "$W/lmdb init" --check "$W/lmdb check" -- "$W/lmdb" put
explore lmdb-writemap 0 '.recorded.syncs >= 3 and .models.torn.legal > 20' --exclude db-lock \
    --setup "$W/lmdb init" --check "$W/lmdb check" -- "$W/lmdb" put writemap
explore lmdb-made-half-way 1 '.findings[0].weakest == "torn"' --exclude db-lock \
    --check "$W/lmdb check" -- "$W/lmdb" put
# The lock file holds a mutex that the kernel itself changes when its owner dies.
explore lmdb-with-its-lock-file 0 true \
    --setup "$W/lmdb init" --check "$W/lmdb check" -- "$W/lmdb" put

# gdbm syncs each change and has no journal: a crash within a change damages the database.
explore gdbm 1 '.findings[0].path == "db"' --budget 400 --check "$W/gdbm check" -- "$W/gdbm" put
