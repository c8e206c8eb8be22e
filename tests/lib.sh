# shellcheck shell=bash disable=SC2034
# What the cases of tests/cases are written with. Read by tests/run, which sets B, W, S and F.

# --- Naming tests. Each line of a case file names one; its body runs later, in its own process.

name_test() { # NAME BODY...
    local name=$1
    shift
    [ -z "${bodies[$name]:-}" ] || { echo "tests: $name is named twice" >&2; exit 2; }
    names+=("$name")
    printf -v "bodies[$name]" '%q ' "$@"
    needs_root[$name]=${want_root:-}
    is_core[$name]=${want_core:-}
    is_once[$name]=${want_once:-}
    limits[$name]=${want_limit:-60}
}
core() { local want_core=1; "$@"; }
root() { local want_root=1; "$@"; }
once() { local want_once=1; "$@"; } # not again as another user, or without kernel features
limit() { local want_limit=$1; shift; "$@"; }

# explore NAME EXIT JQ ARGS...: brink explore ARGS ends with EXIT, JQ holds for summary.json.
explore() {
    local name=$1
    shift
    name_test "$name" do_explore "$@"
}
# refuse NAME EXIT REGEX ARGS...: brink ARGS says one line that fits REGEX, and ends with EXIT.
refuse() {
    local name=$1
    shift
    name_test "$name" do_refuse "$@"
}
# scene NAME: the function scene_NAME (with _ for -).
scene() { name_test "$1" "scene_${1//-/_}"; }

# --- Initial workspaces, for --init.

document() { # VERSION
    local line
    echo "version $1"
    for line in {0..99}; do
        echo "line $line of version $1"
    done
    echo "end $1"
}
make_fixtures() {
    mkdir -p "$F"/{empty,doc,pair,folder/current,copy,table,sparse,counter,named}
    document 1 >"$F/doc/doc"
    document 1 >"$F/pair/one"
    document 1 >"$F/pair/two"
    document 1 >"$F/folder/current/doc"
    document 1 >"$F/copy/doc"
    document 2 >"$F/copy/source"
    document 1 >"$F/named/$odd_name"
    truncate -s 16384 "$F/table/table"
    truncate -s $(((1000 << 20) + 8)) "$F/sparse/sparse"
    for place in 0 $((500 << 20)) $((1000 << 20)); do
        printf 'mark one' | dd of="$F/sparse/sparse" bs=8 seek=$((place / 8)) conv=notrunc status=none
    done
    echo 0 >"$F/counter/counter"
}
odd_name=$'a\nb "c" \\d \xc3\xbc'

# --- Inside a test.

fail() {
    echo "$*"
    exit 1
}
skip() {
    echo "$*"
    exit 77
}
need() {
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null || skip "$program is not installed"
    done
}

# Scenes that start it themselves write: BRINK_TEST=${test_tag:?} "$B" ...
# brink EXIT ARGS...: its output goes to the files stdout and stderr. Input is that of the caller.
brink() {
    local want=$1 status
    shift
    echo "+ brink $(printf '%q ' "$@")"
    BRINK_TEST=${test_tag:?} "$B" "$@" >stdout 2>stderr
    status=$?
    [ "$status" = "$want" ] && return
    sed 's/^/stdout: /' stdout | tail -n 30
    sed 's/^/stderr: /' stderr | tail -n 10
    fail "exit status is $status, not $want"
}
json() { # FILE JQ
    jq -e "$2" "$1" >/dev/null 2>jq-error && return
    echo "does not hold: $2"
    cat jq-error
    jq -c 'del(.findings) , .findings[]' "$1" 2>&1 | cut -c 1-1000 | head -n 8
    fail "$1 is not as expected"
}
one_line() { # REGEX: stderr is one line, for a user, and fits
    [ "$(wc -l <stderr)" = 1 ] || { cat stderr; fail "stderr has $(wc -l <stderr) lines, not one"; }
    grep -qE -- "^brink: $1\$" stderr || { cat stderr; fail "stderr does not fit: ^brink: $1\$"; }
}
# All outputs of an exploration are there and agree.
outputs() { # FOLDER
    json "$1/summary.json" '.schema == "brink/summary/1" and .recorded.complete == true'
    json "$1/summary.json" '.verified_by_kill | .tried == .equal + .same_shape + .unstable'
    json "$1/summary.json" '.verified_by_kill.tried > 0 or .verified_by_kill.skipped != ""'
    json "$1/summary.json" '[.models[], .models2[]? | .legal >= .tried and .tried >= .distinct] | all'
    json "$1/summary.json" '.checked > 0 and (.checked <= ([.models[].distinct, .models2[]?.distinct] | add))'
    json "$1/summary.json" '([.models[], .models2[]? | .violated + .crashed + .hung] | add) as $bad
        | (.result == "violated") == ($bad > 0) and (.findings | length > 0) == ($bad > 0)'
    json "$1/summary.json" '[.findings[] | (.sentence != "") and (.key | length >= 10)
        and (.replay | startswith("brink replay "))] | all'
    xmllint --noout "$1/junit.xml" || fail "junit.xml is not well-formed"
    [ "$(sqlite3 "$1/run.db" 'pragma integrity_check')" = ok ] || fail "run.db is damaged"
}
do_explore() { # EXIT JQ ARGS...
    local want=$1 jq=$2 budget=(--budget 400) # enough for each fault here, and quick
    shift 2
    [[ " $* " != *' --budget '* ]] || budget=()
    rm -rf out
    brink "$want" explore --out out "${budget[@]}" "$@"
    [ "$want" -lt 2 ] || return 0
    outputs out
    json out/summary.json ".result == \"$([ "$want" = 0 ] && echo held || echo violated)\""
    json out/summary.json "$jq"
}
do_refuse() { # EXIT REGEX ARGS...
    local want=$1 regex=$2
    shift 2
    brink "$want" "$@"
    one_line "$regex"
    [ ! -s stdout ] || fail "stdout is not empty: $(head -n 1 stdout)"
}

# --- Cleanliness: nothing of a test may outlive it.

# Processes of brink carry the test's folder in their environment; those of the test itself do not.
left_processes() { # NAME
    local file
    grep -lszxF "BRINK_TEST=$tmp/$1" /proc/[0-9]*/environ | while read -r file; do
        echo "process: $({ tr '\0' ' ' <"${file%environ}cmdline"; } 2>/dev/null)"
    done
}
left_of() { # NAME
    left_processes "$1"
    grep -F "$tmp/$1" /proc/self/mounts | sed 's/^/mount: /'
    find "$tmp/$1/" -name '.brink-*' 2>/dev/null | sed 's/^/folder: /'
    find "$tmp/$1/tmp/" -mindepth 1 -maxdepth 1 2>/dev/null | sed 's/^/temporary: /'
}
# Whoever cleans up after a killed brink gets a moment to do it.
clean() { # NAME
    local deadline=$((SECONDS + 5 * ${PATIENCE:-1}))
    while [ -n "$(left_of "$1")" ] && [ "$SECONDS" -lt "$deadline" ]; do
        sleep 0.1
    done
    left_of "$1" >left
    [ ! -s left ] || { cat left; fail "something is left behind"; }
    rm left
}
# What the whole suite must leave as it was.
surroundings() {
    {
        cut -d' ' -f 1-3 /proc/self/mounts
        # On a machine where others use brink, theirs come and go.
        [ -n "${TESTS_SHARED:-}" ] || find /tmp /var/tmp -maxdepth 1 -name '.brink-*' 2>/dev/null
    } | sort
}

run_inside() { # NAME
    local name=$1
    test_name=$1
    test_tag=$tmp/$1 # two runs at the same time do not see each other's processes
    [ -z "${needs_root[$name]}" ] || [ "$(id -u)" = 0 ] || skip "needs root"
    eval "${bodies[$name]}" || exit 1
    clean "$name"
}
