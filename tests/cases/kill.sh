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

# Barriers that a scenario names.
staged() { # writes s.scenario.json: a worker that asks a service, and writes what it got
    cat >s.scenario.json <<'JSON'
{"name": "s", "matrix": {"word": ["first", "second"]},
 "workspace": {"init": "seed", "setup": "echo set up >>seeded"},
 "services": [{"name": "web", "argv": ["python3", "-u", "-m", "http.server", "${port}", "--bind", "127.0.0.1"],
               "ready": {"http": "/", "port": "${port}"}}],
 "worker": {"argv": ["python3", "-c",
   "import sys, urllib.request\nn = sys.stdin.read()\na = urllib.request.urlopen('http://127.0.0.1:${port}/').status\nopen('answer', 'w').write(f'{n} {a} ${word}')"],
   "stdin": "asked"},
 "barriers": {"sent": {"call": "send", "peer": "127.0.0.1:*", "contains": "GET /", "where": "after", "do": "kill"},
              "torn": {"call": "write", "path": "answer", "where": "inside", "bytes": 7, "do": "exit:23"},
              "never": {"call": "rename"}},
 "crash": "torn",
 "checks": [{"name": "c", "file": {"path": "answer", "size": 0}}]}
JSON
    mkdir seed
    echo seeded >seed/seeded
}
core limit 120 scene kill-scenario-at-a-name
scene_kill_scenario_at_a_name() {
    staged
    mkdir w
    brink 0 kill --scenario s.scenario.json --at sent -C w
    grep -q '^brink: note: s\[word=first\], the first of 2 cases; --only chooses another$' stderr || { cat stderr; fail "the case is not named"; }
    grep -qE '^  bytes: *GET / HTTP/1.1\\r \.\.\.$' stderr || { cat stderr; fail "the bytes are missing"; }
    grep -qE '^  peer: *tcp 127.0.0.1:[0-9]+$' stderr || { cat stderr; fail "the peer is missing"; }
    grep -q '^  backtrace:$' stderr || { cat stderr; fail "the backtrace is missing"; }
    grep -q '^  done: *SIGKILL to 1 process; verified by wait status$' stderr || { cat stderr; fail "not killed"; }
    grep -q '^brink: services: 1, each the same living process as before$' stderr || { cat stderr; fail "services are not told of"; }
    [ "$(cat w/seeded)" = $'seeded\nset up' ] || fail "w/seeded: $(cat w/seeded)"
    [ ! -e w/answer ] || fail "it went on"
}
limit 120 scene kill-scenario-where-it-crashes
scene_kill_scenario_where_it_crashes() {
    staged
    mkdir w
    brink 0 kill --scenario s.scenario.json --only '*second*' -C w
    [ "$(cat w/answer)" = 'asked 2' ] || fail "w/answer: $(cat w/answer)"
    grep -q '^  done: *the process exited with 23; verified' stderr || { cat stderr; fail "no exit"; }
    rm -r w && mkdir w
    brink 1 kill --scenario s.scenario.json --at never --only '*second*' -C w
    grep -q 'the barrier was never reached: rename; the worker exited with 0' stderr || { cat stderr; fail "it is not said"; }
    [ "$(cat w/answer)" = 'asked 200 second' ] || fail "w/answer: $(cat w/answer)"
}
scene kill-scenario-several-processes
scene_kill_scenario_several_processes() {
    cat >s.scenario.json <<JSON
{"name": "s", "worker": {"argv": ["$OUT/bin/journal", "--file", "j", "put", "k", "b"], "count": 3, "locks": {"orders": 1, "seed": 4}},
 "barriers": {"append": {"call": "write", "path": "j", "where": "inside", "bytes": 5, "do": "kill"}},
 "checks": [{"name": "c", "file": {"path": "j", "size": 0}}]}
JSON
    mkdir w
    brink 0 kill --scenario s.scenario.json --at append -C w
    [ "$(stat -c %s w/j)" = 5 ] || fail "w/j has not 5 bytes"
    grep -q '^  done: *SIGKILL to all 4 processes; verified' stderr || { cat stderr; fail "not all were killed"; }
}
scene kill-scenario-that-is-wrong
scene_kill_scenario_that_is_wrong() {
    staged
    brink 2 kill --scenario s.scenario.json --at snet --only '*first*'
    one_line '--at snet: there is no such barrier in s.scenario.json; there are sent, torn, never'
    brink 2 kill --scenario s.scenario.json --at sent --only third
    one_line '--only third: no case has such a name.*'
    brink 2 kill --scenario s.scenario.json --at sent -- true
    one_line "brink kill: 'true': the worker is the one of --scenario"
    brink 2 kill --scenario none.scenario.json --at sent
    one_line '--scenario: none.scenario.json: No such file.*'
    echo '{"name": "n", "steps": [{"name": "a", "argv": ["true"], "exit": 0}], "barriers": {"b": {"call": "write"}}}' >n.scenario.json
    brink 2 kill --scenario n.scenario.json --at b
    one_line '--scenario n.scenario.json: has no worker to kill'
    echo '{"name": "n", "worker": {"argv": ["true"], "exit": 0}}' >n.scenario.json
    brink 2 kill --scenario n.scenario.json --at b
    one_line '--scenario n.scenario.json: names no barriers'
    brink 2 kill --only x --at write -- true
    one_line '--only: chooses a case of --scenario'
    sed -i 's/"-u", //; s/http.server/no.such.server/' s.scenario.json
    brink 2 kill --scenario s.scenario.json --only '*first*'
    one_line 'service web: ended before it was ready; it said: .*'
    [ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'brink-killed-*' -newer seed)" ] || fail "a folder is left behind"
}
once scene kill-scenario-interrupted
scene_kill_scenario_interrupted() {
    mkdir w
    cat >s.scenario.json <<'JSON'
{"name": "s", "services": [{"name": "w", "argv": ["sleep", "4321"]}],
 "worker": {"argv": ["sh", "-c", "touch begun; exec sleep 4322"], "exit": 0}, "barriers": {"b": {"call": "rename"}}}
JSON
    BRINK_TEST=${test_tag:?} "$B" kill --scenario s.scenario.json --at b -C w >stdout 2>stderr &
    local pid=$!
    until [ -e w/begun ]; do read -r -t 0.05 <> <(:); done
    kill -TERM "$pid"
    wait "$pid"
    [ $? = 3 ] && grep -q '^brink: interrupted' stderr || { cat stderr; fail "no orderly end"; }
}
