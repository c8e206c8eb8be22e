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
