# shellcheck shell=bash
# What the options and verbs do.

# Options and verbs that do not exist, or not yet.
core refuse option-unknown 2 '.*--chekc.*--check.*' explore --chekc true -- true
refuse option-value-missing 2 '.*--check.*' explore --check
refuse option-value-wrong 2 '.*--budget.*many.*' explore --budget many -- true
refuse shard-wrong 2 '.*--shard.*' explore --shard 3/2 --check true -- true
refuse verb-unknown 2 '.*explroe.*explore.*' explroe
refuse model-unknown 2 '.*--model.*kil.*kill.*' explore --model kil -- true
for verb in audit corpus explain report; do
    refuse later-verb-$verb 2 "$verb: not in this version.*" $verb
done
later() { # NAME ARGS...
    refuse "later-option-$1" 2 "--$1.*: not in this version.*" explore "${@:2}" --check true -- true
}
later scenario --scenario a.json
later source --source shim
later profile --profile ext4
later atomic --atomic 4096
later promise --promise saved
refuse later-option-format 2 '--format.*' explore --format html --check true -- true
later baseline --baseline file
later update-baseline --update-baseline
for model in power fault:EIO windows kill,power; do
    refuse "later-model-$model" 2 "--model (power|fault:EIO|windows): not in this version.*" \
        explore --model $model --check true -- true
done
core scene help
scene_help() {
    local verb
    brink 0 --version
    grep -qE '^brink [0-9]+\.[0-9]+\.[0-9]+$' stdout || fail "version: $(cat stdout)"
    brink 0 help
    for verb in explore trace kill replay doctor merge; do
        brink 0 help
        grep -q "^ *$verb " stdout || fail "help does not name $verb"
        brink 0 help $verb
        grep -q '^usage: brink '$verb stdout && grep -q '^examples:' stdout || fail "help $verb lacks usage or examples"
        cp stdout help-text
        brink 0 $verb --help
        cmp stdout help-text || fail "$verb --help differs from help $verb"
        [ ! -s stderr ] || fail "help writes to stderr"
        awk 'length > 100 { print FILENAME ": " $0; bad = 1 } END { exit bad }' stdout || fail "lines over 100 columns"
    done
    brink 2
}

# Shards together are the whole; so is what two machines' runs make after merge.
sharded=(--budget 200 --init "$F/doc" --seed 7 --check "$W/judge document doc")
core scene shards-make-the-whole
scene_shards_make_the_whole() {
    brink 1 explore --out whole "${sharded[@]}" -- "$W/replace" bad
    brink 1 explore --out one --shard 1/2 "${sharded[@]}" -- "$W/replace" bad
    brink 1 explore --out two --shard 2/2 "${sharded[@]}" -- "$W/replace" bad
    json one/summary.json '.checked > 0'
    json two/summary.json '.checked > 0'
    brink 1 merge one two -o merged
    outputs merged
    [ $(($(jq .checked one/summary.json) + $(jq .checked two/summary.json))) = "$(jq .checked whole/summary.json)" ] ||
        fail "the shards have states in common, or lack some"
    jq -S '[.models, .checked, .result, .findings[] | objects | del(.replay)]' whole/summary.json >whole.json
    jq -S '[.models, .checked, .result, .findings[] | objects | del(.replay)]' merged/summary.json >merged.json
    diff whole.json merged.json || fail "the merged run differs from the whole"
}
scene merge-of-strangers
scene_merge_of_strangers() {
    brink 1 explore --out one --shard 1/2 "${sharded[@]}" -- "$W/replace" bad
    brink 0 explore --out two --shard 2/2 "${sharded[@]}" -- "$W/replace" good
    do_refuse 2 '.*(one|two).*' merge one two -o merged
    do_refuse 2 '.*no-such-run.*' merge one no-such-run -o merged
    do_refuse 2 '.*' merge one one -o merged
}
scene resume-of-another-run
scene_resume_of_another_run() {
    brink 0 explore --out out --check true -- "$W/append" 5
    do_refuse 2 '.*(worker|append).*' explore --out out --resume --check true -- "$W/append" 6
    do_refuse 2 '.*check.*' explore --out out --resume --check false -- "$W/append" 5
    brink 0 explore --out out --resume --check true -- "$W/append" 5
    do_refuse 2 '.*--resume.*' explore --out never --resume --check true -- "$W/append" 5
}

# Everything below the budget, an honest choice above it; the ends of a write come first.
core scene budget
scene_budget() {
    brink 0 explore --out all --budget 0 --check true -- "$W/append" 40
    json all/summary.json '.models.torn | .tried == .legal and .legal > 600'
    json all/summary.json '.models.kill | .tried == .legal and .legal == 42'
    brink 0 explore --out some --budget 30 --check true -- "$W/append" 40
    json some/summary.json '.models.torn | .distinct <= 30 and .tried < .legal and .legal > 600'
    json some/summary.json '.models.kill | .distinct <= 30 and .tried < .legal and .legal == 42'
    [ "$(jq .models.torn.legal all/summary.json)" = "$(jq .models.torn.legal some/summary.json)" ] || fail "legal depends on the budget"
    brink 0 explore --out again --budget 30 --check true -- "$W/append" 40
    diff <(sqlite3 some/run.db 'select id from state order by id') \
        <(sqlite3 again/run.db 'select id from state order by id') || fail "the choice is not the same twice"
}
core scene ids-are-stable
scene_ids_are_stable() {
    brink 1 explore --out one --budget 200 --init "$F/doc" --check "$W/judge document doc" -- "$W/replace" bad
    brink 1 explore --out two --budget 200 --init "$F/doc" --check "$W/judge document doc" -- "$W/replace" bad
    sqlite3 one/run.db 'select id from state order by id' >one.ids
    sqlite3 two/run.db 'select id from state order by id' >two.ids
    diff one.ids two.ids || fail "ids differ"
    [ -z "$(uniq -d one.ids)" ] || fail "two states have one id"
    diff <(jq -S '.findings | map(del(.replay))' one/summary.json) <(jq -S '.findings | map(del(.replay))' two/summary.json) || fail "findings differ"
}

# A finding's own line repeats it; the state can be looked at.
core scene replay
scene_replay() {
    brink 1 explore --budget 100 --init "$F/doc" --check "$W/judge document doc" -- "$W/replace" bad
    local line state
    line=$(jq -r '.findings[0].replay' brink-out/summary.json)
    state=${line##* }
    compgen -G "brink-out/states/$state*" >/dev/null || fail "states/$state is not there: $(ls brink-out/states)"
    # shellcheck disable=SC2086
    brink 1 ${line#brink }
    grep -qi 'violated' stdout stderr || { cat stdout stderr; fail "replay does not say that it is violated"; }
    brink 1 replay "$state" --keep kept
    [ -e kept/doc ] || fail "--keep wrote no doc"
    "$W/judge" document kept/doc >/dev/null && fail "the kept state is not the violated one"
    echo 'pwd; ls; echo "state=$BRINK_STATE"' | BRINK_TEST=${test_tag:?} "$B" replay "$state" --shell >shell 2>&1
    grep -q "state=$state" shell || { cat shell; fail "--shell has no state"; }
    cp -r brink-out elsewhere
    brink 1 replay --run elsewhere "$state"
    do_refuse 2 '.*ffffffffff.*' replay ffffffffff
    do_refuse 2 '.*' replay
    do_refuse 2 '.*no-such-run.*' replay --run no-such-run "$state"
}

# What recovery and check are given.
core scene environment-of-commands
scene_environment_of_commands() {
    mkdir data
    cat >check <<'END'
#!/bin/sh
[ "$PWD" = "$BRINK_WORKSPACE" ] || { echo "cwd $PWD, workspace $BRINK_WORKSPACE"; exit 1; }
[ "$PWD" = "$WANTED" ] || { echo "cwd $PWD, wanted $WANTED"; exit 1; }
[ -f "$BRINK_ACKED" ] && [ -f "$BRINK_SENT" ] || { echo "no BRINK_ACKED or BRINK_SENT"; exit 1; }
[ ${#BRINK_STATE} -ge 10 ] || { echo "id $BRINK_STATE"; exit 1; }
case $BRINK_MODEL in kill|torn) ;; *) echo "model $BRINK_MODEL"; exit 1 ;; esac
[ "$EXTRA" = "a b" ] || { echo "no --env"; exit 1; }
cat "$BRINK_ACKED" | grep -v '^saved [0-9]*$' && exit 1
[ $(ps -e | wc -l) -lt 15 ] || { echo "sees other processes"; exit 1; }
read -r line && { echo "has input"; exit 1; }
exit 0
END
    chmod +x check
    brink 0 explore --env "WANTED=$PWD/data" --env 'EXTRA=a b' -C data --check ./check -- "$W/append"
}
scene commands-leave-nothing
scene_commands_leave_nothing() {
    do_explore 0 '.models.kill.legal > 30' --recover "sh -c 'sleep 1000 & setsid sleep 1000 & echo left >leftover'" \
        --check 'test -e leftover && test "$(cat leftover)" = left && rm leftover && mkdir -p x/y && chmod 000 x' -- "$W/append"
}
explore states-are-fresh 0 true --recover 'test ! -e mark && touch mark' --check 'test -e mark && ln -s mark link && mkdir new' -- "$W/append"

# Without a check: recovery must end with 0, and do nothing the second time.
core explore oracle-good 0 true --recover "$W/judge repair log" -- "$W/append"
explore oracle-recovery-fails 1 true --recover 'test ! -s log' -- "$W/append"
explore oracle-recovery-is-not-repeatable 1 true --recover "sh -c 'echo again >>log'" -- "$W/append"
explore oracle-worker-recovers 0 true --init "$F/doc" -- "$W/replace" good

# Verdicts of other kinds.
core explore recovery-crashes 1 '.models.kill.crashed > 0 and .models.kill.violated == 0' \
    --recover "sh -c 'test ! -s log || kill -SEGV \$\$'" --check true --budget 20 -- "$W/append"
explore recovery-hangs 1 '.models.kill.hung > 0 and .models.kill.violated == 0' --timeout 0.3 --model kill \
    --recover "sh -c 'test \$(wc -l <log) != 10 || sleep 1000'" --check true --budget 20 -- "$W/append"
scene flaky
scene_flaky() {
    mkdir count
    do_explore 0 '.models.kill.flaky > 0 and .models.kill.violated == 0' --model kill --budget 20 \
        --check "mkdir $PWD/count/\$BRINK_STATE 2>/dev/null && exit 1; exit 0" -- "$W/append"
}
explore check-that-cannot-fail 0 '.canary == "unnoticed"' --check true -- "$W/append"
core explore check-that-notices 0 '.canary == "noticed"' \
    --init "$F/doc" --check "$W/judge document doc" -- "$W/replace" good

# The user's folder, the worker's input and output.
core scene workspace-is-never-written
scene_workspace_is_never_written() {
    mkdir data && cp "$F/doc/doc" data/doc
    find data -printf '%p %s %T@ %C@ %i\n' | sort >before
    do_explore 1 true -C data --check "$W/judge document doc" -- "$W/replace" bad
    find data -printf '%p %s %T@ %C@ %i\n' | sort >after
    diff before after || fail "the user's folder was written"
}
scene out-inside-the-workspace
scene_out_inside_the_workspace() {
    mkdir data && cp "$F/doc/doc" data/doc
    cd data || exit 1
    brink 0 explore -C . --budget 100 --check "$W/judge document doc && test ! -e brink-out" -- "$W/replace" good
    brink 0 explore -C . --budget 100 --out brink-out --check "$W/judge document doc && test ! -e brink-out" -- "$W/replace" good
}
scene output-of-the-worker
scene_output_of_the_worker() {
    brink 0 explore --quiet --check true -- sh -c 'echo to-stdout; echo to-stderr >&2'
    [ "$(cat stdout)" = to-stdout ] || fail "stdout: $(cat stdout)"
    grep -qx to-stderr stderr || fail "stderr: $(cat stderr)"
}
scene terminal
scene_terminal() {
    brink 0 explore --quiet --tty --check true -- sh -c 'test -t 0 && test -t 1 && echo on a terminal >file && echo yes'
    grep -q yes stdout || fail "the worker had no terminal: $(cat stdout stderr)"
}
# What a parent left ignored or blocked is no concern of ours.
scene strange-signals
scene_strange_signals() {
    local way
    for way in --ignore-signal=CHLD --block-signal; do
        BRINK_TEST=${test_tag:?} env "$way" "$B" explore --quiet --out out --max-time 30 --check true -- "$W/append" >stdout 2>stderr ||
            { cat stderr; fail "with env $way: exit $?"; }
        json out/summary.json '.result == "held" and .checked > 10'
    done
}
scene excluded
scene_excluded() {
    mkdir data
    do_explore 0 '.models.kill.legal == 2' -C data --exclude '*.cache' --exclude 'run' --check 'test ! -e a.cache' \
        -- sh -c 'echo one >a.cache; echo two >b.cache; mkdir run; echo three >run/pid; : >real'
}
core scene max-time
scene_max_time() {
    BRINK_TEST=${test_tag:?} "$B" explore --out out --max-time 6 --recover 'sleep 0.3' --check true -- "$W/append" >stdout 2>stderr
    status=$?
    echo "exit $status"
    json out/summary.json '.result == "partial" and .checked > 0 and .models.torn.tried < .models.torn.legal'
}
scene trace-verb
scene_trace_verb() {
    brink 0 trace --init "$F/doc" -- "$W/replace" good
    grep -P '\tsync\t' stdout | grep -q fsync || { cat stdout; fail "no sync is marked"; }
    grep -P '\tacked\t' stdout >/dev/null || { cat stdout; fail "no promise is marked"; }
    grep -q 'rename' stdout && grep -q 'replace\.c\|worker\.h' stdout || { cat stdout; fail "no rename, or no source line"; }
    [ ! -e brink-out ] || fail "trace made brink-out"
}
core scene doctor
scene_doctor() {
    brink 0 doctor
    grep -qi ptrace stdout && grep -qi namespace stdout || { cat stdout; fail "doctor names no abilities"; }
    BRINK_WITHOUT=all brink 0 doctor
    grep -qi fallback stdout || { cat stdout; fail "BRINK_WITHOUT=all shows no fallback"; }
    BRINK_WITHOUT=nonsense brink 2 doctor
    one_line '.*nonsense.*'
}
scene more-jobs-same-verdicts
scene_more_jobs_same_verdicts() {
    brink 1 explore --out one --jobs 1 --budget 200 --init "$F/doc" --check "$W/judge document doc" -- "$W/replace" bad
    brink 1 explore --out four --jobs 4 --budget 200 --init "$F/doc" --check "$W/judge document doc" -- "$W/replace" bad
    diff <(jq -S '.models, (.findings | map(del(.replay)))' one/summary.json) \
        <(jq -S '.models, (.findings | map(del(.replay)))' four/summary.json) || fail "jobs change the result"
}
scene slot-on-disk
scene_slot_on_disk() {
    mkdir slots
    do_explore 1 '.findings[0].path == "doc"' --slot-dir slots --init "$F/doc" --check "$W/judge document doc" -- "$W/replace" bad
    [ -z "$(ls -A slots)" ] || fail "something is left in --slot-dir"
}
