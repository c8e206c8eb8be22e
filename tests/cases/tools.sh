# shellcheck shell=bash
# The tools that judge: each rule of tools/lint finds a planted fault, and this runner sees what
# fails, what hangs and what is left behind.

tools=${here:?}/../tools

# One tree with a planted fault for each rule; lint must name every one of them.
limit 240 once scene lint-finds-what-is-planted
plant() { # FILE REGEX CODE
    mkdir -p "tree/$(dirname "$1")"
    printf '%s\n' "$3" >"tree/$1"
    printf '%s\n' "$2" >>expected
}
scene_lint_finds_what_is_planted() {
    need git clang-format clang-tidy cppcheck shellcheck
    [ -d "$tools" ] || skip "the tools are not here"
    local b=tracer/base regex
    plant one.h 'one.h: .*' '#define ONE 1'
    : >expected
    plant tracer/cli/x.h 'nothing' '#define X 1'
    : >expected
    plant $b/misformatted.c 'misformatted.c: run make fmt' 'int  a;'
    plant $b/dependent.h 'dependent.h: does not compile on its own' 'size_t a(void);'
    plant $b/second.h 'second.c: include second.h first' '#define SECOND 2'
    plant $b/second.c 'lint: [0-9]+ fault' '#include <stddef.h>
int second;'
    plant $b/arrow.c 'arrow.c:1:.*tracer/base may include only' '#include "tracer/cli/x.h"
int arrow;'
    plant tests/arrow.c 'tests/arrow.c:1:.*include nothing of brink' '#include "tracer/cli/x.h"'
    plant $b/jump.c 'jump.c: goto or leftover' 'int a(void);
int a(void)
{
    goto end;
end:
    return 1;
}'
    plant $b/dead.c 'dead.c: dead code' '#if 0
#endif
int dead;'
    plant $b/long.h 'long.h: 200 lines, the limit is 150' "$(yes '/* a */' | head -n 200)"
    plant $b/banned.c 'banned.o: calls atoi; use' '#include <stdlib.h>
int banned(const char *text);
int banned(const char *text)
{
    return atoi(text);
}'
    plant $b/endless.c 'function .endless. exceeds recommended size' "void endless(int *x);
void endless(int *x)
{
$(yes '    *x += *x * 2;' | head -n 70)
}"
    plant $b/null.c 'null.c:.*nullPointer' 'int none(void);
int none(void)
{
    int *none = 0;
    return *none;
}'
    plant tools/script 'SC2154' '#!/bin/bash
cd "$undefined" || exit 1'
    cp "$tools/lint" "$tools/banned-symbols" "$tools/cppcheck.cfg" tree/tools
    cp "$tools/../.clang-format" "$tools/../.clang-tidy" tree
    mkdir tree/build && gcc -c tree/$b/banned.c -o tree/build/banned.o || fail "the planted fault must compile"
    echo build >tree/.gitignore
    git init -q tree
    LINT_ROOT=$PWD/tree bash tree/tools/lint build >lint.log 2>&1 && fail "lint finds nothing"
    while read -r regex; do
        grep -qE "$regex" lint.log || { cat lint.log; fail "lint does not say: $regex"; }
    done <expected
}

once scene the-runner-sees-what-fails
scene_the_runner_sees_what_fails() {
    mkdir -p fake/bin
    printf '#!/bin/sh\n%s\n' 'echo "brink: no" >&2; exit 2' >fake/bin/brink
    chmod +x fake/bin/brink
    TESTS_FOLDER='' OUT=$PWD/fake TESTS_TMP=$PWD "$here/run" help option-value-missing >run.log && fail "a failure gives exit status 0"
    grep -q '^not ok help ' run.log && grep -q '^not ok option-value-missing ' run.log || { cat run.log; fail "not ok is not said"; }
    grep -q '    repeat: ' run.log || fail "how to repeat it is not said"
    [ "$(tail -n 1 run.log)" = "1 passed, 2 failed, 0 skipped" ] || { cat run.log; fail "the closing line is wrong"; }
}
once scene the-runner-sees-what-is-left
scene_the_runner_sees_what_is_left() {
    mkdir -p fake/bin
    printf '#!/bin/sh\n%s\n' 'setsid sleep 30 >/dev/null 2>&1 & echo $! >>'"$PWD"'/pid; mkdir "$TMPDIR/.brink-left"' \
        'echo "brink: --source: not in this version" >&2; exit 2' >fake/bin/brink
    chmod +x fake/bin/brink
    TESTS_FOLDER='' OUT=$PWD/fake TESTS_TMP=$PWD "$here/run" later-option-source >run.log && fail "a process left gives exit status 0"
    kill "$(cat pid)"
    grep -q '  process: sleep 30' run.log || { cat run.log; fail "the process is not named"; }
    grep -q '  folder: .*/.brink-left' run.log || { cat run.log; fail "the folder is not named"; }
    rm -rf brink-tests.*
}

# tools/deps without the right to install names what is missing; with nothing missing it is silent.
once scene deps-names-what-is-missing
scene_deps_names_what_is_missing() {
    [ -x "$tools/deps" ] || skip "the tools are not here"
    mkdir fake
    printf '#!/bin/sh\n%s\n' 'echo "installed gcc"' >fake/dpkg-query
    printf '#!/bin/sh\n%s\n' 'echo 1000' >fake/id
    printf '#!/bin/sh\n%s\n' 'exit 1' >fake/sudo
    chmod +x fake/*
    PATH=$PWD/fake:$PATH "$tools/deps" build >deps.log 2>&1 && fail "it ends with 0"
    grep -q 'missing: .*libunwind-dev' deps.log || { cat deps.log; fail "libunwind-dev is not named"; }
    grep -qw gcc deps.log && fail "gcc is there, and named"
    printf '#!/bin/sh\n%s\n' 'for name; do echo "installed $name"; done' >fake/dpkg-query
    PATH=$PWD/fake:$PATH "$tools/deps" build test lint bench demo >deps.log 2>&1 || fail "it does not end with 0"
    [ ! -s deps.log ] || fail "it says something: $(cat deps.log)"
    "$tools/deps" nonsense >deps.log 2>&1
    [ $? = 2 ] || fail "an unknown set is not refused"
}
once scene installs
scene_installs() {
    [ -e "$tools/../Makefile" ] || skip "the Makefile is not here"
    # -o: what is being tested must not be built anew meanwhile.
    make -s -o all -C "$tools/.." OUT="${out:?}" PREFIX=/usr DESTDIR="$PWD/root" install >make.log 2>&1 || { cat make.log; fail "make install failed"; }
    root/usr/bin/brink --version || fail "what was installed does not start"
}
