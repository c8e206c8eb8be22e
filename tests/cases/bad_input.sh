# shellcheck shell=bash
# Bad input and bad luck: one line that says what, which and why; the right exit status; nothing
# left behind (run_inside looks after each test); finished verdicts kept.

# The worker.
core refuse worker-missing 2 '.*no-such-worker: no such program.*' explore --check true -- ./no-such-worker
refuse worker-not-in-path 2 'no-such-worker: no such program in PATH.*' explore --check true -- no-such-worker
scene worker-not-executable
scene_worker_not_executable() {
    echo 'echo hello' >script
    do_refuse 2 '.*script: .*(Permission denied|cannot be started).*' explore --check true -- ./script
}
scene worker-is-a-folder
scene_worker_is_a_folder() { do_refuse 2 '.*/tmp: .*' explore --check true -- /tmp; }
refuse worker-not-given 2 'brink explore: .*WORKER.*' explore --check true
refuse worker-without-dashes 2 ".*put -- before the worker.*" explore --check true ls
explore worker-that-does-nothing 0 '.models.kill.legal == 1 and .checked == 1' --check true -- true
explore worker-that-fails-at-once 0 '.models.kill.legal == 1' --check true -- false
explore worker-that-is-killed-at-once 0 '.models.kill.legal == 1' --check true -- sh -c 'kill -KILL $$'
refuse worker-that-never-ends 2 '.*(time limit|--timeout).*' \
    explore --timeout 1 --check true -- sh -c 'echo one >file; exec sleep 1000'

# The workspace and what goes into it.
refuse workspace-missing 2 '.*no-such-folder.*' explore -C no-such-folder --check true -- true
refuse workspace-is-root 2 '.*/.*' explore -C / --check true -- true
scene workspace-is-a-file
scene_workspace_is_a_file() {
    echo hello >file
    do_refuse 2 '.*file.*' explore -C file --check true -- true
    [ "$(cat file)" = hello ] || fail "the file was changed"
}
refuse init-missing 2 '.*no-such-folder.*' explore --init no-such-folder --check true -- true
core scene init-unreadable
scene_init_unreadable() {
    [ "$(id -u)" != 0 ] || skip "root can read everything"
    mkdir init && echo secret >init/file && chmod 000 init/file
    do_refuse 2 '.*init.*(Permission denied|cannot be read).*' explore --init init --check true -- true
    chmod 700 init/file && chmod 000 init
    do_refuse 2 '.*init.*(Permission denied|cannot be read).*' explore --init init --check true -- true
    chmod 700 init
}
refuse setup-fails 2 '.*setup.* 3.*' explore --setup 'exit 3' --check true -- true

# Recovery and check.
refuse check-missing 2 '.*no-such-check: no such program.*' explore --check ./no-such-check -- true
scene check-not-executable
scene_check_not_executable() {
    echo 'exit 0' >check
    do_refuse 2 '.*check: cannot be started; try chmod \+x' explore --check ./check -- true
}
refuse check-ends-with-127 2 '.*check.*127.*' explore --check 'no-such-check-command | cat; exit 127' -- sh -c 'echo a >b'
refuse recover-missing 2 '.*no-such-recovery: no such program.*' \
    explore --recover ./no-such-recovery --check true -- true
refuse check-with-an-open-quote 2 '.*quote.*' explore --check "echo 'a" -- true
refuse check-empty 2 '.*' explore --check '' -- true

# The output folder.
core scene out-is-not-ours
scene_out_is_not_ours() {
    mkdir mine && echo precious >mine/file
    do_refuse 2 '.*mine.*--force.*' explore --out mine --check true -- true
    [ "$(cat mine/file)" = precious ] || fail "the file in it is gone"
    [ "$(ls -A mine)" = file ] || fail "something was put into it"
    brink 0 explore --out mine --force --check true -- true
    [ "$(cat mine/file)" = precious ] || fail "--force took away a file that is not ours"
}
refuse out-is-a-file 2 '.*/dev/null.*' explore --out /dev/null --check true -- true
refuse out-has-no-parent 2 '.*no/such/parent.*' explore --out no/such/parent --check true -- true
root scene full-disk
scene_full_disk() {
    local status=0
    mkdir small && mount -t tmpfs -o size=256k tmpfs small || skip "no tmpfs can be mounted"
    (
        brink 3 explore --out small/out --check true -- sh -c 'head -c 2000000 /dev/zero >file'
        one_line '.*No space left on device.*'
    ) || status=$?
    umount small
    return $status
}

# SIGINT in the middle keeps what is finished, and --resume goes on with it.
slow_start() { # OUT: explores about a hundred states, slowly; each check leaves a line in "ran"
    # What a script starts in the background ignores SIGINT.
    BRINK_TEST=${test_tag:?} env --default-signal=INT "$B" explore --out "$1" "${slow[@]}" -- "$W/append" >stdout 2>stderr </dev/null &
    pid=$!
}
slow_options() {
    : >ran
    slow=(--budget 100 --recover 'sleep 0.05'
        --check "echo ran >>$PWD/ran; $W/judge repair log && $W/judge log log")
}
verdicts() { sqlite3 "$1/run.db" 'select count(*) from verdict'; }
# Each process writes what is finished at least once a second; some more checks pass meanwhile.
await_checks() { # N
    local deadline=$((SECONDS + 60))
    while [ "$(wc -l <ran)" -lt "$1" ]; do
        [ "$SECONDS" -lt "$deadline" ] || fail "there are never $1 checks: $(cat stderr)"
        kill -0 "$pid" 2>/dev/null || fail "ended before there were $1 checks: $(cat stderr)"
        sleep 0.02
    done
}
core scene interrupted-and-resumed
scene_interrupted_and_resumed() {
    slow_options
    slow_start out
    await_checks 60
    kill -INT "$pid"
    wait "$pid"
    status=$?
    echo "+ SIGINT: exit status $status, $(cat stderr)"
    [ "$status" = 3 ] || [ "$status" = 130 ] || fail "exit status is $status, not 3"
    clean "${test_name:?}"
    kept=$(verdicts out)
    # The canary takes some of the checks; what is cut off in the middle has no verdict.
    [ "$kept" -ge 50 ] || fail "only $kept verdicts were kept"
    resume_and_compare
}
resume_and_compare() {
    : >ran
    brink 0 explore --out out --resume "${slow[@]}" -- "$W/append"
    [ "$(wc -l <ran)" -lt 110 ] || fail "all was checked again: $(wc -l <ran) checks"
    outputs out
    brink 0 explore --out whole "${slow[@]}" -- "$W/append"
    jq -S '[.models, .checked, .findings, .result]' out/summary.json >resumed.json
    jq -S '[.models, .checked, .findings, .result]' whole/summary.json >whole.json
    diff whole.json resumed.json || fail "the resumed run differs from a whole one"
}
core scene killed-and-resumed
scene_killed_and_resumed() {
    slow_options
    slow_start out
    await_checks 60
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    clean "${test_name:?}"
    [ "$(verdicts out)" -ge 10 ] || fail "finished verdicts were lost: $(verdicts out) are there"
    resume_and_compare
}
# Ten SIGKILLs at random moments: the user's folder is as it was, and nothing is left.
limit 120 core scene killed-at-random
scene_killed_at_random() {
    local seed=${SEED:-$RANDOM} round
    echo "seed $seed: SEED=$seed tests/run killed-at-random"
    RANDOM=$seed
    mkdir data && echo mine >data/file
    for round in {1..10}; do
        rm -rf out
        BRINK_TEST=${test_tag:?} "$B" explore --out out -C data --recover 'sleep 0.02' --check true \
            -- "$W/append" 50 >stdout 2>stderr </dev/null &
        pid=$!
        sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
        kill -KILL "$pid" || fail "round $round: brink had ended by itself: $(cat stderr)"
        wait "$pid" 2>/dev/null
        clean "${test_name:?}"
        [ "$(ls -A data)" = file ] && [ "$(cat data/file)" = mine ] || fail "round $round: the user's folder was changed"
    done
}

# A machine without namespaces: one job at the workspace's own path, which comes back.
without_namespaces() {
    unshare -r true 2>/dev/null || skip "no user namespace to forbid them in"
    unshare -r sh -c 'for kind in user mnt pid net ipc uts cgroup; do
            echo 0 >/proc/sys/user/max_${kind}_namespaces
        done
        exec setpriv --bounding-set=-all --inh-caps=-all "$@"' sh "$@"
}
core scene no-namespaces
scene_no_namespaces() {
    mkdir data && cp "$F/doc/doc" data/doc
    local twin
    for twin in bad good; do
        BRINK_TEST=${test_tag:?} without_namespaces "$B" explore --out $twin -C data \
            --check "$W/judge document doc" -- "$W/replace" $twin >stdout 2>stderr
        echo "$?" >$twin.status
        cat stderr
    done
    [ "$(cat bad.status) $(cat good.status)" = "1 0" ] || fail "exit $(cat bad.status) and $(cat good.status), not 1 and 0"
    outputs bad
    outputs good
    json good/summary.json '.notes | map(test("namespace")) | any'
    cmp "$F/doc/doc" data/doc && [ "$(ls -A data)" = doc ] || fail "the workspace was not put back"
}
scene no-namespaces-and-killed
scene_no_namespaces_and_killed() {
    local round seed=${SEED:-$RANDOM}
    echo "seed $seed"
    RANDOM=$seed
    mkdir data && cp "$F/doc/doc" data/doc
    for round in {1..5}; do
        rm -rf out
        BRINK_TEST=${test_tag:?} without_namespaces "$B" explore --out out -C data --recover 'sleep 0.02' \
            --check true -- "$W/replace" good >stdout 2>stderr </dev/null &
        wait_for_brink $!
        sleep "0.$((RANDOM % 10))"
        kill -KILL "$pid" || fail "brink had ended by itself: $(cat stderr)"
        wait 2>/dev/null
        clean "${test_name:?}"
        cmp "$F/doc/doc" data/doc && [ "$(ls -A data)" = doc ] || fail "round $round: the workspace was not put back"
    done
}
# The child of unshare becomes brink by exec, in the same process.
wait_for_brink() { # PID
    local deadline=$((SECONDS + 10))
    pid=$1
    until [ "$(readlink "/proc/$pid/exe")" = "$(realpath "$B")" ]; do
        [ "$SECONDS" -lt "$deadline" ] || fail "brink never started: $(cat stderr)"
        pid=$(pgrep -P "$pid" | head -n 1 || echo "$pid")
        [ -n "$pid" ] || pid=$1
        sleep 0.01
    done
}
core scene ptrace-forbidden
scene_ptrace_forbidden() {
    BRINK_TEST=${test_tag:?} "$W/forbid" "$B" explore --out out --check true -- true >stdout 2>stderr
    status=$?
    [ "$status" = 3 ] || fail "exit status is $status, not 3: $(cat stderr)"
    one_line '.*ptrace.*'
    BRINK_TEST=${test_tag:?} "$W/forbid" "$B" doctor >stdout 2>stderr
    status=$?
    [ "$status" = 1 ] || fail "doctor ends with $status, not 1"
    grep -i ptrace stdout | grep -qw no || { cat stdout; fail "doctor does not say that ptrace is forbidden"; }
}
