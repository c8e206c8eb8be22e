# shellcheck shell=bash disable=SC2154,SC2034
# brink run: cases, their results, evidence. Small scenarios over programs that every machine has.

scenario() { # NAME BODY: NAME.scenario.json in the test's folder
    printf '{"name": "%s", %s}\n' "$1" "$2" >"$1.scenario.json"
}
# A writer that says so when its bytes are durable.
writer='"worker": {"argv": ["dd", "if=/dev/zero", "of=f", "bs=8", "count=4", "conv=fsync", "status=none"]}'
torn='"barriers": {"torn": {"call": "write", "path": "f", "nth": 3, "where": "inside", "bytes": 5, "do": "kill"}}, "crash": "torn"'

scene_scenario_kill_inside_a_write() {
    scenario k "$writer, $torn, \"checks\": [{\"name\": \"c\", \"at\": \"halt\", \"file\": {\"path\": \"f\", \"size\": 21}}, {\"name\": \"dead\", \"process\": {\"of\": \"worker\", \"signal\": 9}}]"
    brink 0 run k.scenario.json &&
        json brink-out/summary.json '.schema == "brink/run/1" and .result == "held" and .assertions == 3
            and .cases[0].name == "k" and .cases[0].result == "held"' &&
        xmllint --noout brink-out/junit.xml
}
core scene scenario-kill-inside-a-write

scene_scenario_violation_is_told_with_both_values() {
    scenario v "$writer, \"checks\": [{\"name\": \"c\", \"file\": {\"path\": \"f\", \"size\": 31}}]"
    brink 1 run v.scenario.json &&
        grep -q 'c: size: expected 31 bytes, observed 32 bytes' stdout &&
        grep -q 'again: brink run v.scenario.json --only v' stdout &&
        [ "$(stat -c %s brink-out/cases/0001-v/workspace/f)" = 32 ] &&
        grep -q '<failure' brink-out/junit.xml
}
core scene scenario-violation-is-told-with-both-values

scene_scenario_barrier_never_reached_is_an_error() {
    scenario n "$writer, \"barriers\": {\"b\": {\"call\": \"rename\", \"where\": \"before\"}}, \"crash\": \"b\", \"checks\": [{\"name\": \"c\", \"file\": {\"path\": \"f\", \"size\": 32}}]"
    brink 3 run n.scenario.json && grep -q 'barrier b was never reached' stdout &&
        json brink-out/summary.json '.result == "error"'
}
scene scenario-barrier-never-reached-is-an-error

scene_scenario_expected_violation() {
    scenario e "$writer, \"checks\": [{\"name\": \"c\", \"file\": {\"path\": \"f\", \"size\": 31}}], \"expect\": {\"violated\": \"c\"}"
    scenario f "$writer, \"checks\": [{\"name\": \"c\", \"file\": {\"path\": \"f\", \"size\": 32}}], \"expect\": {\"violated\": \"c\"}"
    brink 0 run e.scenario.json && brink 1 run f.scenario.json &&
        grep -q '"c" was expected to fail, but held' stdout
}
scene scenario-expected-violation

scene_scenario_mistake_is_told_with_its_place() {
    printf '{"name": "m",\n "wrker": {}}\n' >m.scenario.json
    brink 2 run m.scenario.json && grep -q '^brink: m.scenario.json:2:2: wrker: unknown key; allowed are ' stderr &&
        [ ! -e brink-out ]
}
scene scenario-mistake-is-told-with-its-place

scene_scenario_list_only_shard() {
    scenario l "$writer, \"matrix\": {\"n\": {\"from\": 1, \"to\": 5}}, \"checks\": [{\"name\": \"c\", \"file\": {\"path\": \"f\", \"size\": 32}}]"
    [ "$("$B" run l.scenario.json --list --only 'l?n=[24]?' | paste -sd ' ')" = 'l[n=2] l[n=4]' ] &&
        [ "$("$B" run l.scenario.json --list --shard 2/2 --format json | jq -r '[.include[].name] | join(" ")')" = 'l[n=2] l[n=4]' ] &&
        brink 2 run l.scenario.json --only 'x*'
}
scene scenario-list-only-shard

scene_scenario_services_keep_their_ports_to_themselves() {
    scenario s '"services": [{"name": "web", "argv": ["python3", "-m", "http.server", "'"8123"'", "--bind", "127.0.0.1"], "ready": {"http": "/", "port": 8123}}],
        "matrix": {"n": [1, 2]}, "steps": [{"name": "ask", "argv": ["python3", "-c", "import urllib.request as r; print(r.urlopen(\"http://127.0.0.1:8123/\").status)"], "stdout": "200\n"}]'
    brink 0 run s.scenario.json --jobs 2
}
limit 120 once scene scenario-services-keep-their-ports-to-themselves

scene_scenario_service_that_is_never_ready() {
    scenario s '"services": [{"name": "web", "argv": ["sh", "-c", "echo no room; exit 1"], "ready": {"port": 8123}}], "steps": [{"name": "a", "argv": ["true"], "exit": 0}]'
    brink 2 run s.scenario.json && grep -q 'service web: ended before it was ready; it said: no room' stdout
}
scene scenario-service-that-is-never-ready

scene_scenario_step_that_leaves_a_process() {
    scenario s '"steps": [{"name": "a", "argv": ["sh", "-c", "sleep 1234 >/dev/null 2>&1 & echo $!"], "exit": 0}]'
    brink 0 run s.scenario.json && ! pgrep -f 'sleep 1234' >/dev/null
}
once scene scenario-step-that-leaves-a-process

scene_scenario_evidence() {
    scenario k "$writer, $torn, \"checks\": [{\"name\": \"c\", \"at\": \"halt\", \"file\": {\"path\": \"f\", \"size\": 21}}]"
    brink 0 run k.scenario.json --evidence kept && brink 0 evidence kept &&
        grep -q '^PASS kept$' stdout && [ "$(stat -c %a kept/manifest.json)" = 444 ] &&
        json kept/cases/0001-k/case.json '.children[0].children[0] | .argv[0] == "dd" and .pid > 0
            and .end == "signal 9" and .expected == "signal 9"' &&
        brink 2 run k.scenario.json --evidence kept &&
        sed -i 's/signal 9/signal 8/' kept/cases/0001-k/case.json && brink 1 evidence kept &&
        grep -q '^FAIL kept: cases/0001-k/case.json: other bytes' stdout &&
        rm kept/cases/0001-k/case.json && brink 1 evidence kept &&
        grep -q 'case.json: is missing' stdout && brink 2 evidence .
}
scene scenario-evidence

scene_scenario_out_folder_is_ours_or_refused() {
    scenario k "$writer, \"checks\": [{\"name\": \"c\", \"file\": {\"path\": \"f\", \"size\": 32}}]"
    mkdir mine && touch mine/letter
    brink 2 run k.scenario.json --out mine && [ -e mine/letter ] &&
        brink 0 run k.scenario.json && brink 0 run k.scenario.json
}
scene scenario-out-folder-is-ours-or-refused

scene_scenario_interrupt_leaves_nothing() {
    scenario i '"matrix": {"n": {"from": 1, "to": 40}}, "steps": [{"name": "a", "argv": ["sh", "-c", "touch '"$PWD"'/begun; exec sleep 987"], "exit": 0}]'
    BRINK_TEST=${test_tag:?} "$B" run i.scenario.json >stdout 2>stderr &
    local pid=$!
    until [ -e begun ]; do read -r -t 0.05 <> <(:); done
    kill -TERM "$pid"
    wait "$pid"
    [ $? = 3 ] && grep -q '^brink: interrupted' stderr && ! pgrep -f 'sleep 987' >/dev/null
}
once scene scenario-interrupt-leaves-nothing

scene_scenario_explored() {
    local writer='"worker": {"argv": ["sh", "-c", "printf 12345678 >f; mv f $NAME"], "env": {"NAME": "a b"}}'
    scenario good "$writer"', "explore": {"check": ["sh", "-c", "test ! -e \"a b\" || test \"$(cat \"$0\")\" = 12345678", "a b"], "counts": {"models.torn.legal": 7}}'
    scenario bad "$writer"', "explore": {"model": ["torn"], "check": ["sh", "-c", "test ! -e f || test $(stat -c %s f) != 5"]}'
    scenario known "$writer"', "explore": {"check": ["test", "!", "-e", "f"], "counts": {"models.torn.violated": 7}}, "expect": {"violated": "explore"}'
    scenario count "$writer"', "explore": {"check": ["true"], "counts": {"models.torn.legal": 8, "models.none": 1}}'
    scenario wrong "$writer"', "explore": {"model": ["trn"], "check": ["true"]}'
    scenario gone "$writer"', "explore": {"check": ["./no-such-check"]}'
    brink 0 run good.scenario.json && json brink-out/summary.json '.assertions == 13' &&
        brink 1 run bad.scenario.json &&
        grep -q 'explore: result: expected held, observed violated' stdout &&
        json brink-out/cases/0001-bad/explored/summary.json '.models.torn.violated == 1' &&
        json brink-out/cases/0001-bad/case.json '[.assertions[] | select(.held | not) | .name] == ["explore: result", "explore: models.torn.violated"]' &&
        brink 0 run known.scenario.json && brink 1 run count.scenario.json &&
        json brink-out/cases/0001-count/case.json '[.assertions[] | select(.held | not) | .observed] == ["7", "not there"]' &&
        brink 2 run wrong.scenario.json && grep -q "explore: --model: no model 'trn'; did you mean torn" stdout &&
        brink 2 run gone.scenario.json && grep -q 'no-such-check' stdout
}
limit 120 scene scenario-explored

# What a run of the journal's scenarios showed once, kept with the sources. It is checked in itself:
# that the sources have changed since then makes it no less true.
scene_scenario_kept_evidence() {
    tar xzf "${S%/tests/*}/scenarios/evidence/journal.tar.gz" || fail "it cannot be unpacked"
    brink 0 evidence journal && [ "$(cat stdout)" = 'PASS journal' ] || fail "$(cat stdout)"
    json journal/summary.json '.result == "held" and (.cases | length) >= 60 and .assertions > 10000' &&
        json journal/versions.json '(.commit | length) == 40 and .has_changes == false' &&
        json journal/manifest.json '[.sources[].path] | index("journal/put.c") and index("journal/journal-audit")'
    ! grep -rlE '/tmp/|/home/|/root|/build/bin' journal || fail "a place of some machine is in it"
    local file=journal/cases/0001-C1_program=journal,halt=kill_/case.json
    printf X | dd of="$file" bs=1 seek=100 conv=notrunc status=none
    brink 1 evidence journal
    [ "$(cat stdout)" = "FAIL journal: ${file#*/}: other bytes than the manifest says" ] || fail "$(cat stdout)"
}
once scene scenario-kept-evidence

scene_scenario_barrier_reached_too_often_is_an_error() {
    scenario o '"worker": {"argv": ["sh", "-c", "printf \"key key\" >f"]}, "barriers": {"b": {"call": "write", "contains": "key"}}, "crash": "b", "checks": [{"name": "c", "file": {"path": "f", "size": 0}}]'
    brink 3 run o.scenario.json
    grep -q 'barrier b was reached 2 times, not 1: write contains=' stdout || fail "$(cat stdout)"
    json brink-out/summary.json '.result == "error" and .cases[0].result == "error"'
}
scene scenario-barrier-reached-too-often-is-an-error

# A service that counts in its own folder, says when it is ready, and can be brought back.
scene_scenario_services_in_all_their_ways() {
    cat >serve.py <<'PYTHON'
import os, socket, sys, time
port, how = int(sys.argv[1]), sys.argv[2]
if os.listdir("."): # its own state is empty at its start
    sys.exit("the state is not empty: " + " ".join(os.listdir(".")))
listener = socket.create_server(("127.0.0.1", port))
open("count", "w").write("0")
print("listening, at last" if how == "line" else "hm", flush=True)
while True:
    peer, _ = listener.accept()
    word = peer.recv(100)
    if word == b"add":
        count = int(open("count").read()) + 1
        open("count", "w").write(str(count))
        peer.send(str(count).encode())
    peer.close()
PYTHON
    cat >ask.py <<'PYTHON'
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as peer:
    peer.send(b"add")
    print(peer.recv(100).decode(), flush=True)
PYTHON
    # The worker is killed when it has sent; the service has counted all the same.
    local rest='"worker": {"argv": ["python3", "${here}/ask.py", "${port}"], "stdout": ""},
        "barriers": {"answered": {"call": "receive", "peer": "127.0.0.1:*", "contains": "/^[0-9]/", "where": "after"}},
        "crash": "answered", "each": {"n": [1, 2, 3]},
        "steps": [{"name": "again", "argv": ["python3", "${here}/ask.py", "${port}"], "stdout": "2\n"}],
        "checks": [{"name": "count", "file": {"path": "${state}/count", "bytes": "32"}}]'
    local how
    for how in line port; do
        local ready='{"port": "${port}"}'
        [ $how = port ] || ready='{"line": "at last"}'
        scenario "new-$how" '"services": [{"name": "s", "argv": ["python3", "${here}/serve.py", "${port}", "'$how'"], "ready": '"$ready"'}], '"$rest"
        scenario "reset-$how" '"services": [{"name": "s", "argv": ["python3", "${here}/serve.py", "${port}", "'$how'"], "ready": '"$ready"', "reset": ["sh", "-c", "printf 0 >count"]}], '"$rest"
    done
    brink 0 run . --jobs 2
    json brink-out/summary.json '(.cases | length) == 4 and ([.cases[].runs] | unique) == [3]' || return 1
    json brink-out/cases/*-reset-line/case.json '[.assertions[] | select(.name == "service s: the same process lives")] | length == 6'
    scenario reset-bad '"services": [{"name": "s", "argv": ["sleep", "77"], "reset": ["sh", "-c", "echo no >&2; exit 3"]}], "each": {"n": [1, 2]}, "steps": [{"name": "a", "argv": ["true"], "exit": 0}]'
    brink 2 run reset-bad.scenario.json
    grep -q 'service s: reset: exit 3' stdout || fail "$(cat stdout)"
}
limit 240 once scene scenario-services-in-all-their-ways

scene_scenario_service_that_dies_is_seen() {
    scenario d '"services": [{"name": "s", "argv": ["sleep", "3210"]}], "worker": {"argv": ["sh", "-c", "kill $(pgrep -f \"^sleep 3210\")"], "exit": 0}'
    brink 1 run d.scenario.json
    grep -q 'service s: the same process lives: expected alive, observed gone' stdout || fail "$(cat stdout)"
}
once scene scenario-service-that-dies-is-seen

# A junit.xml with a test case for each case, and its assertions numbered in it.
scene_scenario_junit_has_cases_and_numbered_assertions() {
    scenario j "$writer, "'"matrix": {"n": [1, 2]}, "each": {"m": {"from": 1, "to": 3}}, "checks": [{"name": "c", "file": {"path": "f", "size": 32}}]'
    brink 0 run j.scenario.json
    [ "$(xmllint --xpath 'count(//testcase)' brink-out/junit.xml)" = 2 ] || fail "not two test cases"
    [ "$(xmllint --xpath 'string(//testcase[1]/@name)' brink-out/junit.xml)" = 'j[n=1]' ] || fail "no name"
    local lines
    lines=$(xmllint --xpath 'string(//testcase[1]/system-out)' brink-out/junit.xml | grep -cE '^[0-9]+ ok ')
    [ "$lines" = "$(jq '.cases[0].assertions' brink-out/summary.json)" ] || fail "$lines assertions are numbered"
    xmllint --xpath 'string(//testcase[1]/system-out)' brink-out/junit.xml | grep -q '^6 ok .*\[m=3\]' || {
        xmllint --xpath 'string(//testcase[1]/system-out)' brink-out/junit.xml
        fail "the runs are not named"
    }
}
scene scenario-junit-has-cases-and-numbered-assertions

# Time limits, input and environment of programs; a worker that takes too long is a violation.
scene_scenario_programs_have_input_environment_and_limits() {
    scenario p '"worker": {"argv": ["sh", "-c", "cat; echo $WORD $BRINK_WORKSPACE; pwd"], "stdin": "in\n", "env": {"WORD": "w"}, "stdout": "in\nw ${dir}\n${dir}\n"}'
    scenario slow '"worker": {"argv": ["sleep", "99"], "timeout": 1, "exit": 0}'
    scenario signal '"worker": {"argv": ["sh", "-c", "kill -TERM $$"], "signal": 15}, "steps": [{"name": "a", "argv": ["sh", "-c", "exit 7"], "exit": 7, "repeat": 2}]'
    brink 0 run p.scenario.json && brink 0 run signal.scenario.json && brink 1 run slow.scenario.json &&
        grep -q 'worker: end: expected exit 0, observed did not end in time' stdout
}
scene scenario-programs-have-input-environment-and-limits

# The schema that editors use: all scenarios of the project fit it, and it is JSON itself.
scene_scenario_schema_fits_the_scenarios() {
    local root=${S%/tests/*}
    python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
    python3 - "$root/scenarios" <<'PYTHON' || fail "see above"
import glob, json, sys, jsonschema
schema = json.load(open(sys.argv[1] + "/schema.json"))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
bad = 0
for path in glob.glob(sys.argv[1] + "/**/*.scenario.json", recursive=True):
    for error in validator.iter_errors(json.load(open(path))):
        print(path, list(error.path), error.message)
        bad += 1
sys.exit(bad > 0)
PYTHON
}
once scene scenario-schema-fits-the-scenarios

# The workflow in the documents takes its matrix from a list that is there.
scene_scenario_ci_workflow_uses_what_is_there() {
    local workflow=${S%/tests/*}/docs/ci-github.yml words
    grep -q -- '--list --format json' "$workflow" || fail "no matrix"
    words=$("$B" run "${S%/tests/*}/scenarios/journal" --list --format json) || fail "no list"
    [ "$(jq -r '.include | length > 50 and all(has("name") and has("file") and has("runs"))' <<<"$words")" = true ] || fail "$words"
    "$B" run "${S%/tests/*}/scenarios/journal" --list --format json --only "$(jq -r '.include[0].name' <<<"$words")" | jq -e '.include | length == 1' >/dev/null || fail "a name does not choose its case"
}
once scene scenario-ci-workflow-uses-what-is-there
