# shellcheck shell=bash
# brink kill: the worker is halted for real at one barrier, and its workspace stays.

# kill_at NAME SIZE DONE BARRIER [ARG...]: the log has SIZE bytes then, and DONE is what was done.
# Each record of the worker has 19 bytes, written as 10 and 9.
kill_at() {
    local name=$1
    shift
    name_test "$name" do_kill_at "$@"
}
do_kill_at() {
    local size=$1 done=$2 barrier=$3
    shift 3
    mkdir w
    brink 0 kill --at "$barrier" -C w -- "$W/pieces" "$@"
    [ "$(stat -c %s w/a.log)" = "$size" ] || { od -c w/a.log; fail "a.log has not $size bytes"; }
    grep -q "^  done: *$done; verified by wait status\$" stderr || { cat stderr; fail "not done: $done"; }
    grep -q "^brink: workspace: $PWD/w\$" stderr || { cat stderr; fail "the workspace is not named"; }
}
core kill_at kill-before 29 'SIGKILL to 1 process' 'write path=*.log contains=ACTION_CONFIRMED nth=2'
kill_at kill-inside 36 'SIGKILL to 1 process' 'write path=*.log contains=ACTION_CONFIRMED nth=2 where=inside bytes=7'
kill_at kill-after 38 'SIGKILL to 1 process' "write contains='/^2 ACTION.*D$/' where=after"
kill_at kill-by-exit 29 'the process exited with 23' 'write contains=ACTION_CONFIRMED nth=2 do=exit:23'
core kill_at kill-after-a-sync 36 'what was written was synced; the process exited with 23' \
    'write contains=ACTION_CONFIRMED nth=2 where=inside bytes=7 sync do=exit:23'
kill_at kill-at-a-sync 57 'SIGKILL to 1 process' "sync covers='3 ACTION'"
kill_at kill-at-a-promise 38 'SIGKILL to 1 process' "write path=stdout contains='done 2'"
kill_at kill-one-of-several 36 'SIGKILL to all 2 processes' \
    'write contains=ACTION_CONFIRMED nth=2 where=inside bytes=7' each
kill_at kill-one-of-several-by-exit 29 'the process exited with 0, 1 others were killed' \
    'write contains=ACTION_CONFIRMED nth=2 do=exit:0' each

core scene kill-shows-what-was-halted
scene_kill_shows_what_was_halted() {
    brink 0 kill --at 'write contains=ACTION_CONFIRMED' -- "$W/pieces"
    local dir
    dir=$(sed -n 's/^brink: workspace: //p' stderr)
    grep -q '^  what: *write 9 bytes at 10 to a.log$' stderr || { cat stderr; fail "what is missing"; }
    grep -q '^  bytes: *ONFIRMED \.\.\.$' stderr || { cat stderr; fail "the bytes are missing"; }
    grep -qE '^  thread: *0 \(process [0-9]+, thread [0-9]+, .*/pieces\)$' stderr || { cat stderr; fail "the thread is missing"; }
    grep -qE '^ *main at .*tests/workers/pieces.c:[0-9]+$' stderr || { cat stderr; fail "the source line is missing"; }
    [ "$(cat "$dir/a.log")" = "1 ACTION_C" ] || fail "a.log: $(cat "$dir/a.log")"
    rm -r "$dir"
}

core scene kill-never-reached
scene_kill_never_reached() {
    mkdir w
    brink 1 kill --at 'write contains=ACTION_CONFIRMED nth=4' -C w -- "$W/pieces"
    grep -q '^brink: the barrier was never reached: write contains=ACTION_CONFIRMED nth=4; the worker exited with 0$' stderr || { cat stderr; fail "it is not said"; }
    [ "$(cat stdout)" = $'done 1\ndone 2\ndone 3' ] || fail "stdout: $(cat stdout)"
}

refuse kill-without-a-place 2 '.*--at.*' kill -- true
refuse kill-no-barrier 2 '--at: barrier: no call is named wriet; there are write.*' kill --at wriet -- true
refuse kill-no-worker 2 '.*no-such-worker.*' kill --at write -- ./no-such-worker
refuse kill-no-workspace 2 '.*no-such-dir.*No such file.*' kill --at write -C no-such-dir -- true
refuse kill-too-many-bytes 2 'the barrier is inside a call of write after 10 bytes, but the call has 10' \
    kill --at 'write path=a.log where=inside bytes=10' -- "$W/pieces"
scene kill-init-is-no-danger
scene_kill_init_is_no_danger() {
    mkdir w init
    echo mine >w/file
    echo new >init/file
    brink 2 kill --at write -C w --init init -- true
    [ "$(cat w/file)" = mine ] || fail "the user's file was replaced"
    mkdir v
    brink 0 kill --at 'write path=file' -C v --init init --setup 'echo more >>file' -- sh -c 'echo x >>file'
    [ "$(cat v/file)" = $'new\nmore' ] || fail "v/file: $(cat v/file)"
}
