# shellcheck shell=bash
# Recovery is a worker too: it is killed and torn on each state that it began on (--depth 2).

mended_bad=(--depth 2 --recover "$W/mend bad" --check "$W/judge log log")
mended_good=(--depth 2 --recover "$W/mend good" --check "$W/judge log log")

# The fault is in the recovery alone: depth 1 sees nothing of it.
core explore mend-bad-once 0 '.depth == 1 and .models2 == null' --budget 30 \
    --recover "$W/mend bad" --check "$W/judge log log" -- "$W/mend" save
core explore mend-bad 1 '.depth == 2 and .recoveries > 20
    and ([.models[].violated] | add) == 0 and .models2.kill.violated > 0 and .models2.torn.violated > 0
    and (.findings | length) == 1
    and (.findings[0] | .depth == 2 and .call == "ftruncate" and .path == "log" and .weakest == "kill"
        and (.where | test("mend.c:[0-9]+ mend")) and (.first | test("^[0-9a-f]{16}$"))
        and (.first_is | test("bytes of op")) and .states == 30 + 2)' \
    --budget 30 "${mended_bad[@]}" -- "$W/mend" save
core explore mend-good 0 '.models2.kill.legal > 60 and .models2.kill.tried == .models2.kill.known
    and .models2.torn.legal == 0 and .recoveries == .checked' --budget 30 \
    "${mended_good[@]}" -- "$W/mend" save

# Everything is counted: with all states tried nothing is left, and equal ones are checked once.
explore depth-counts 1 '.recoveries == 53 and .checked == 53 + 48
    and .models2.kill == {"legal": 173, "tried": 173, "distinct": 2, "violated": 2, "crashed": 0,
        "hung": 0, "flaky": 0, "known": 143}
    and .models2.torn == {"legal": 690, "tried": 690, "distinct": 46, "violated": 46, "crashed": 0,
        "hung": 0, "flaky": 0, "known": 0}
    and .findings[0].states == 48' --budget 0 "${mended_bad[@]}" -- "$W/mend" save

# A shell with several processes, names and a rename; stores through a mapping.
explore depth-shell 1 '(.findings | length) > 0 and .findings[0].depth == 2 and .findings[0].path == "log"' \
    --budget 12 --depth 2 --recover 'head -n 1 log >head; mv log old; mv head log' \
    --check '! [ -s "$BRINK_ACKED" ] || grep -q "record 1" log' -- "$W/mend" save
explore depth-mapped 1 '.findings[0] | .depth == 2 and .call == "store" and .path == "counter"' \
    --budget 12 --depth 2 --init "$F/counter" --recover "$W/judge count counter" \
    --check "$W/judge counted counter" -- sh -c 'echo one >other'

# A recovery that dies with a lock that it had taken over from the dead.
explore depth-robust-lock 0 '.depth == 2 and .recoveries > 5 and .models2.kill.distinct > 0' \
    --budget 20 --depth 2 --init "$F/table" --recover "$W/robust good one" \
    --check "$W/robust check" -- "$W/robust" good one

# Without a check the recovery must end with 0, and repeated change nothing.
explore depth-without-check 0 '.depth == 2 and .models2.kill.tried > 10' --budget 12 --depth 2 \
    --recover "$W/mend good" -- "$W/mend" save
explore depth-without-recovery-given 0 '.depth == 2 and .recoveries > 5' --budget 12 --depth 2 \
    -- "$W/replace" good

refuse depth-needs-a-recovery 2 '--depth 2: .*--recover' explore --depth 2 --check true -- true
refuse depth-and-shards 2 '--depth 2: .*--shard.*' explore --depth 2 --shard 1/2 -- true
refuse depth-too-deep 2 '--depth: .*3.*' explore --depth 3 -- true

core scene depth-replay
scene_depth_replay() {
    local id
    brink 1 explore --out out --budget 10 "${mended_bad[@]}" -- "$W/mend" save
    id=$(jq -r '.findings[0].replay' out/summary.json | sed 's/.* //')
    brink 1 replay --run out "$id" --keep kept
    grep -q 'the recovery.s crash: ' stdout || fail "$(cat stdout)"
    [ -f kept/log ] || fail "the state was not kept"
    [ -n "$(ls -d "out/depth2/states/$id"*)" ] || fail "no folder of the state"
    id=$(sqlite3 out/run.db 'select id from state limit 1')
    brink 0 replay --run out "$id"
    do_refuse 2 'out: .*|state 0000.*' replay --run out 0000000000
}
scene depth-ids-are-stable
scene_depth_ids_are_stable() {
    local run
    for run in one two; do
        brink 1 explore --out $run --budget 8 --verify 0 "${mended_bad[@]}" -- "$W/mend" save
        sqlite3 $run/depth2/run.db 'select id, model, op, variant from state order by id' >$run.ids
    done
    cmp one.ids two.ids || fail "ids or the choice differ between two runs"
    [ "$(cut -c 1-10 one.ids | sort | uniq -d | wc -l)" = 0 ] || fail "ids begin alike"
}

# An interrupted depth 2 goes on where it was, and ends as an uninterrupted one.
limit 180 scene depth-resumed
scene_depth_resumed() {
    local slow="sh -c 'sleep 0.05; exec $W/judge log log'" pid deadline=$((SECONDS + 60))
    local options=(--budget 6 --seed 1 --jobs 1 --depth 2 --recover "$W/mend bad" --check "$slow")
    brink 1 explore --out whole "${options[@]}" -- "$W/mend" save
    BRINK_TEST=${test_tag:?} "$B" explore --out out "${options[@]}" -- "$W/mend" save >stdout 2>stderr &
    pid=$!
    until [ "$(sqlite3 out/depth2/run.db 'select count(*) from verdict' 2>/dev/null)" -gt 0 ] 2>/dev/null; do
        [ "$SECONDS" -lt "$deadline" ] || fail "depth 2 was never begun"
        sleep 0.05
    done
    kill -INT "$pid"
    wait "$pid"
    brink 1 explore --out out --resume "${options[@]}" -- "$W/mend" save
    for run in whole out; do
        jq -S '[.models, .models2, .checked, .result, (.findings | map(del(.replay)))]' $run/summary.json >$run.json
    done
    diff whole.json out.json || fail "the resumed run differs from a whole one"
}

# The journal's own repair stands every crash.
limit 180 explore depth-journal 0 '.depth == 2 and .recoveries > 20 and .models2.kill.tried > 60
    and ([.models2[] | .violated + .crashed + .hung + .flaky] | add) == 0' \
    --budget 25 --depth 2 --recover "$bin/journal --file j.wal recover" \
    --check "test ! -e j.wal || $bin/journal --file j.wal list" \
    -- sh -c "$bin/journal --file j.wal put turn-1 add-one && $bin/journal --file j.wal put turn-2 add-two"
