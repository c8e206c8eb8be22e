# shellcheck shell=bash
# Every planted fault is found, and its honest twin gives none.

violates() { echo ".findings[0] | $1"; }
one_cause='(.findings | length) == 1 and'

# A document that is cut off and written in place; or a new one, synced, renamed.
core explore replace-bad 1 "$one_cause .findings[0].path == \"doc\" and .findings[0].weakest == \"kill\"
    and (.findings[0].where | test(\"replace.c:[0-9]+ (save_in_place|put)\"))" \
    --init "$F/doc" --check "$W/judge document doc" -- "$W/replace" bad
core explore replace-good 0 '.models.kill.legal >= 8 and .models.torn.legal > 1000
    and .canary == "noticed" and .verified_by_kill.equal >= 8 and .findings == []' \
    --init "$F/doc" --check "$W/judge document doc" -- "$W/replace" good
for kind in static musl asan go; do
    explore replace-$kind-bad 1 "$(violates '.path == "doc" and .weakest == "kill"')" \
        --init "$F/doc" --check "$W/judge document doc" -- "$W/replace-$kind" bad
    explore replace-$kind-good 0 true \
        --init "$F/doc" --check "$W/judge document doc" -- "$W/replace-$kind" good
done
explore replace-shell-bad 1 "$(violates '.path == "doc" and .weakest == "kill"')" \
    --init "$F/doc" --check "$W/judge document doc" -- "$S/replace.sh" bad
explore replace-shell-good 0 '.recorded.processes >= 4' \
    --init "$F/doc" --check "$W/judge document doc" -- "$S/replace.sh" good
limit 120 explore replace-java-bad 1 "$(violates '.path == "doc" and .weakest == "kill"')" \
    --init "$F/doc" --check "$W/judge document doc" --exclude '.java*' --budget 300 --verify 3 \
    -- java -cp "$W" Replace bad
limit 120 explore replace-java-good 0 true \
    --init "$F/doc" --check "$W/judge document doc" --budget 300 --verify 3 \
    -- java -cp "$W" Replace good
explore replace-node-bad 1 "$(violates '.path == "doc" and .weakest == "kill"')" \
    --init "$F/doc" --check "$W/judge document doc" -- node "$S/replace.js" bad
explore replace-node-good 0 true \
    --init "$F/doc" --check "$W/judge document doc" -- node "$S/replace.js" good

# Two files that belong together.
core explore gap-bad 1 "$one_cause .findings[0].weakest == \"kill\" and .findings[0].missing == \"one atomic step for one and two\"" \
    --init "$F/pair" --check "$W/judge pair one two" -- python3 "$S/gap.py" bad
core explore gap-good 0 true \
    --init "$F/doc" --check "$W/judge document doc" -- python3 "$S/gap.py" good

# A log whose recovery believes a torn tail; or cuts it off.
core explore torn-log-bad 1 '.models.kill.violated == 0 and .models.torn.violated > 0
    and (.findings | length) == 1 and .findings[0].weakest == "torn" and .findings[0].path == "log"
    and .findings[0].call == "write"' \
    --check "$W/judge log log" -- "$W/append"
core explore torn-log-good 0 '.models.kill.legal == 32 and .models.torn.legal > 100' \
    --recover "$W/judge repair log" --check "$W/judge log log" -- "$W/append"

# Promises.
core explore ack-bad 1 "$(violates '.weakest == "kill"')" \
    --recover "$W/judge repair log" --check "$W/judge log log" -- "$W/ack" bad
core explore ack-good 0 true \
    --recover "$W/judge repair log" --check "$W/judge log log" -- "$W/ack" good

# Threads and children.
core explore threads-bad 1 "$(violates '.weakest == "kill"')" \
    --recover "$W/judge repair log" --check "$W/judge log log" -- "$W/threads" bad
explore race-of-threads 0 '.verified_by_kill | .tried == 40 and .equal + .same_shape == 40' \
    --verify 40 --check true -- "$W/race" threads
explore race-of-processes 0 '.verified_by_kill | .tried == 40 and .equal + .same_shape == 40' \
    --verify 40 --check true -- "$W/race" processes
core explore threads-good 0 '.recorded.processes == 1' \
    --recover "$W/judge repair log" --check "$W/judge log log" -- "$W/threads" good
for how in fork vfork spawn; do
    explore $how-bad 1 "$(violates '.weakest == "kill"')" \
        --recover "$W/judge repair log" --check "$W/judge log log" -- "$W/children" bad $how
    explore $how-good 0 '.recorded.processes == 4' \
        --recover "$W/judge repair log" --check "$W/judge log log" -- "$W/children" good $how
done

# Stores through a shared mapping.
core explore mapped-bad 1 "$(violates '.path == "table" and .weakest == "kill"')" \
    --init "$F/table" --check "$W/judge mapped table" -- "$W/mapped" bad
core explore mapped-unordered 1 "$(violates '.path == "table" and .weakest == "torn"')" \
    --init "$F/table" --check "$W/judge mapped table" -- "$W/mapped" unordered
core explore mapped-good 0 '.recorded.ops > 6' \
    --init "$F/table" --check "$W/judge mapped table" -- "$W/mapped" good

# Locks in a shared mapping whose holder dies with them: the kernel itself says so in their words.
real_kills_agree='.verified_by_kill | .tried > 3 and .tried == .equal + .same_shape'
for way in one threads child-ends ends execs; do
    explore robust-lock-$way 0 "$real_kills_agree" --verify 30 \
        --init "$F/table" --check "$W/robust check" -- "$W/robust" good $way
done
explore robust-lock-unmaps 0 "$real_kills_agree" --verify 30 \
    --init "$F/table" --check true -- "$W/robust" good unmaps
# Threads that run at the same time do not do the same in each run; stores that one of them made
# between the last call and the kill are no false alarm.
for way in thread-ends race; do
    explore robust-lock-$way 0 '.verified_by_kill | .tried > 3 and .unstable < .tried' --verify 30 \
        --init "$F/table" --check "$W/robust check" -- "$W/robust" good $way
done
for way in one threads race; do
    explore robust-lock-$way-bad 1 "$(violates '.weakest == "kill"')" \
        --init "$F/table" --check "$W/robust check" -- "$W/robust" bad $way
done

# Names.
explore tmpfile-bad 1 "$(violates '.weakest == "kill"')" \
    --check "test ! -e doc || $W/judge document doc" -- "$W/tmpfile" bad
explore tmpfile-good 0 true \
    --check "test ! -e doc && ! grep -q saved \$BRINK_ACKED || $W/judge document doc" \
    -- "$W/tmpfile" good
explore rename-folder-bad 1 "$(violates '.weakest == "kill" and .call == "rename"')" \
    --init "$F/folder" --check "$W/judge document current/doc" -- "$W/renamedir" bad
explore rename-folder-good 0 true \
    --init "$F/folder" --check "$W/judge document current/doc" -- "$W/renamedir" good
scene odd-name-bad
scene odd-name-good
odd_check() {
    cat >check <<END
#!/bin/sh
exec $W/judge document '${odd_name:?}'
END
    chmod +x check
}
scene_odd_name_bad() {
    odd_check
    do_explore 1 '.findings[0].path == "a\nb \"c\" \\d ü"' \
        --init "$F/named" --check ./check -- "$W/replace" bad "$odd_name"
}
scene_odd_name_good() {
    odd_check
    do_explore 0 true --init "$F/named" --check ./check -- "$W/replace" good "$odd_name"
}

# Calls in which the kernel moves the bytes.
for how in sendfile copy_file_range splice; do
    explore $how-bad 1 "$(violates '.path == "doc" and .weakest == "kill"')" \
        --init "$F/copy" --check "$W/judge document doc" -- "$W/copy" bad $how
    explore $how-good 0 true \
        --init "$F/copy" --check "$W/judge document doc" -- "$W/copy" good $how
done
root scene ficlone-on-btrfs
scene_ficlone_on_btrfs() {
    need mkfs.btrfs losetup
    truncate -s 200M disk && mkfs.btrfs -q disk && mkdir disk-mount ||
        skip "no btrfs can be made here"
    mount -o loop disk disk-mount || skip "no loop device here"
    local status=0
    cp -r "$F/copy" disk-mount/work
    (
        do_explore 1 '.findings[0].path == "doc" and .findings[0].weakest == "kill"' \
            -C disk-mount/work --check "$W/judge document doc" -- "$W/copy" bad ficlone
        do_explore 0 true \
            -C disk-mount/work --check "$W/judge document doc" -- "$W/copy" good ficlone
    ) || status=$?
    umount disk-mount
    return $status
}

# Writes of other kinds.
explore pwritev-bad 1 '.models.kill.violated == 0 and .findings[0].weakest == "torn"
    and .findings[0].call == "pwritev"' \
    --init "$F/doc" --check "$W/judge document doc" -- "$W/writev" bad
explore pwritev-good 0 true \
    --init "$F/doc" --check "$W/judge document doc" -- "$W/writev" good
explore sparse-bad 1 "$(violates '.path == "sparse" and .weakest == "kill"')" \
    --init "$F/sparse" --check "$W/judge sparse sparse" -- "$W/sparse" bad
explore sparse-good 0 true \
    --init "$F/sparse" --check "$W/judge sparse sparse" -- "$W/sparse" good
explore two-descriptors-bad 1 '[.findings[].sentence | test("without any crash")] | any' \
    --check "$W/judge log log" -- "$W/oappend" bad
explore two-descriptors-good 0 '.models.kill.legal == 9' \
    --recover "$W/judge repair log" --check "$W/judge log log" -- "$W/oappend" good

# A recovery that reads a file, then stores into it through a mapping: each state is met fresh.
core explore mapping-recovery 0 '.checked > 10' \
    --init "$F/counter" --recover "$W/judge count counter" --check "$W/judge counted counter" \
    -- "$W/append"
explore mapping-recovery-is-judged 1 true \
    --init "$F/counter" --recover "sh -c '$W/judge count counter; $W/judge count counter'" \
    --check "$W/judge counted counter" -- "$W/append"

# Signals, stops, restarted calls.
for how in restart interrupt stop; do
    explore signals-$how 0 '.recorded.processes == 5' \
        --recover "$W/judge repair log" --check "$W/judge log log" -- "$W/signals" $how
done

# Ways to live and to end.
explore io-uring-is-refused-and-said 0 '.notes | map(test("io_uring")) | any' \
    --init "$F/doc" --check "$W/judge document doc" -- "$W/uring"
explore daemon-is-ended-and-named 0 '.notes | map(test("daemon")) | any' \
    --init "$F/doc" --check "$W/judge document doc" -- "$W/daemon"
explore worker-that-dies-by-a-signal 0 '.recorded.complete' \
    --recover "$W/judge repair log" --check "$W/judge log log" \
    -- sh -c "$W/append; kill -SEGV \$\$"
explore worker-that-fails 0 '.recorded.complete' \
    --recover "$W/judge repair log" --check "$W/judge log log" -- sh -c "$W/append; exit 3"
scene writes-outside-are-said
scene_writes_outside_are_said() {
    do_explore 0 '.notes | map(test("outside.*/beyond")) | any' \
        --check true -- sh -c "echo in >inside; echo out >>'$PWD/beyond'"
    [ "$(wc -l <beyond)" -ge 1 ] || fail "the write outside did not happen"
}
core scene setuid-is-said
scene_setuid_is_said() {
    [ "$(id -u)" != 0 ] || skip "root's workers keep their setuid programs"
    [ -u /usr/bin/su ] || skip "su is not setuid here"
    do_explore 0 '.notes | map(test("set-?u(ser-)?id|setuid")) | any' \
        --check true -- sh -c 'echo one >file; su --version'
}
limit 120 core explore many-calls 0 '.models.kill.legal > 100000 and .models.kill.tried >= 500
    and .models.kill.distinct <= 500 and .models.torn.distinct <= 500' \
    --budget 500 --verify 3 --recover "$W/judge repair log" --check "true" -- "$W/append" 100000

# Input.
scene input-from-a-pipe
scene input-from-a-file
records() {
    local number
    for number in 1 2 3; do
        echo "record $number $((number * 2654435761 % 1000003))"
    done
}
from_input() {
    do_explore 0 '.recorded.ops > 6 and .verified_by_kill.tried > 3' \
        --recover "$W/judge repair log" --check "$W/judge log log" -- "$S/entries.sh"
}
scene_input_from_a_pipe() { records | from_input; }
scene_input_from_a_file() {
    records >input
    from_input <input
}

# A service outside: what was sent, and that nobody runs the worker against it again.
scene sends-bad
scene sends-good
with_service() { # EXIT TWIN
    need python3
    coproc service { python3 -u -c '
import socket
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1])
while True:
    peer, _ = listener.accept()
    while data := peer.recv(100):
        peer.send(b"done\n")'; }
    local port status=0 pid=${service_PID:?}
    read -r port <&"${service[0]}"
    (do_explore "$1" '.verified_by_kill.tried == 0 and .verified_by_kill.skipped != ""' \
        --check "$W/judge sent log" -- "$W/sends" "$2" "$port") || status=$?
    kill "$pid"
    return $status
}
scene_sends_bad() { with_service 1 bad; }
scene_sends_good() { with_service 0 good; }
