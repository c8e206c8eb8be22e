#include "verbs.h"

#include <string.h>

#include "nearest.h"

#define MANY SIZE_MAX

static const struct verb table[] = {
    {
        .name = "explore",
        .bit = VERB_EXPLORE,
        .usage = "[options] -- WORKER [ARG...]",
        .summary = "record one run, explore its crash states",
        .about =
            "Records one run of the worker, works out every state that a crash could have left in\n"
            "its workspace, starts the recovery on each, and asks the check whether what was\n"
            "promised still holds. The worker runs on a private copy of the workspace; your own\n"
            "directory is never written.\n"
            "\n"
            "Recovery and check run with the crash state at the workspace's own path, as their\n"
            "working directory, with BRINK_WORKSPACE, BRINK_STATE, BRINK_MODEL, BRINK_ACKED (a "
            "file\n"
            "with what the worker had printed before the crash) and BRINK_SENT (the same for its\n"
            "sockets) set. Without --recover only the check runs; with neither, the worker's own\n"
            "command line is the recovery, which must end with 0 and change nothing when repeated.",
        .examples = "  brink explore --init seed --check 'sqlite3 db \"pragma integrity_check\" | "
                    "grep -qx ok' "
                    "\\\n"
                    "      -- sqlite3 db 'insert into t values (1)'\n"
                    "  brink explore -C data --recover './server --repair' --check ./audit -- "
                    "./server --once\n"
                    "  brink explore --model torn --budget 0 --jobs 2 --check ./audit -- ./worker\n"
                    "  brink explore --shard 1/4 --out part-1 --check ./audit -- ./worker\n",
        .takes_worker = true,
        .run = verb_explore,
    },
    {.name = "audit", .summary = "what one run promised or destroyed too early"},
    {
        .name = "trace",
        .bit = VERB_TRACE,
        .usage = "[options] -- WORKER [ARG...]",
        .summary = "record one run and print its ops, syncs and promises",
        .about =
            "Records one run and prints its ops to stdout, one for each line, with a tab between\n"
            "the columns: number, thread, call, mark, what it did, where in the source. Marks: "
            "sync,\n"
            "acked (stdout took it: a promise), sent (a socket took it), - for the others. The ops "
            "come\n"
            "after all that the worker printed. Nothing is kept unless --out is given.",
        .examples = "  brink trace -- ./worker\n"
                    "  brink trace -C data -- ./server --once | grep -w sync\n"
                    "  brink trace --out traced -- sqlite3 db 'create table t (a)'\n",
        .takes_worker = true,
        .run = verb_trace,
    },
    {
        .name = "kill",
        .bit = VERB_KILL,
        .usage = "--at BARRIER [options] {-- WORKER [ARG...] | --scenario FILE}",
        .summary = "halt the worker at one barrier, SIGKILL it, leave the workspace",
        .about =
            "Runs the worker in the workspace itself, not in a copy, halts it at the barrier,\n"
            "ends it there for real, and leaves the workspace as it is. Prints what was halted,\n"
            "with its bytes and its place in the source.\n"
            "\n"
            "A barrier is a call and what is known about it:\n"
            "  write send receive sync open create rename unlink ... or pwrite64, fsync, ...\n"
            "  path=GLOB           of the file in the workspace, or stdout, or stderr\n"
            "  peer=GLOB           the other end of a connection, such as 127.0.0.1:8080\n"
            "  contains=TEXT       what its bytes complete, also over several calls; /REGEX/\n"
            "  covers=TEXT         for syncs: what is durable with it; /REGEX/\n"
            "  nth=N               the N-th time that this is reached (1)\n"
            "  where=before, where=after, or where=inside bytes=N (before)\n"
            "  sync                make durable what is written so far, first\n"
            "  do=kill, or do=exit:N: exit at once without clean-up (kill)\n"
            "\n"
            "With --scenario the worker, its workspace, services and barriers are those of a\n"
            "scenario file, and BARRIER is the name of one; of several cases --only chooses one.\n"
            "\n"
            "Exit status 0: halted there; 1: the worker ended and never came there.",
        .examples = "  brink kill --at 'write path=*.log contains=CONFIRMED' -- ./worker\n"
                    "  brink kill --at 'write path=db nth=3 where=inside bytes=17 sync' -C data -- "
                    "./server\n"
                    "  brink kill --at 'send peer=127.0.0.1:8080 where=after do=exit:23' -- "
                    "./client\n"
                    "  brink kill --at 'fsync covers=\"turn 7\"' --init seed -- ./worker\n"
                    "  brink kill --scenario scenarios/journal/c3.scenario.json --at forced\n",
        .takes_worker = true,
        .run = verb_kill,
    },
    {
        .name = "run",
        .bit = VERB_RUN,
        .usage = "FILE|FOLDER... [options]",
        .summary = "run scenario files and their matrix",
        .about =
            "Runs every case of the scenario files (*.scenario.json), several at a time, each in\n"
            "surroundings of its own: workspace, network, processes. A case starts services, runs\n"
            "the worker to a named barrier, kills it there for real, goes through the recovery, "
            "and\n"
            "compares what it finds with what the scenario expects. docs/scenarios.md has every "
            "key.\n"
            "A barrier that is never reached is an error, never a pass. Exit status 0: all held; "
            "1: some\n"
            "were violated; 2: a scenario is wrong; 3: a case could not be carried out.",
        .examples = "  brink run scenarios/journal\n"
                    "  brink run scenarios --list --format json\n"
                    "  brink run scenarios/journal --only 'partial*' --jobs 1\n"
                    "  brink run scenarios --shard 1/4 --out part-1\n"
                    "  brink run scenarios/journal --evidence archive && brink evidence archive\n",
        .words_min = 1,
        .words_max = MANY,
        .run = verb_run,
    },
    {
        .name = "evidence",
        .bit = VERB_EVIDENCE,
        .usage = "DIR...",
        .summary = "check an evidence archive again",
        .about =
            "Looks at every file of an archive that brink run --evidence wrote, and judges each\n"
            "case anew by what was observed. Prints PASS, or FAIL with the first mismatch, and "
            "ends\n"
            "with 0 or 1.",
        .examples = "  brink evidence archive\n",
        .words_min = 1,
        .words_max = MANY,
        .run = verb_evidence,
    },
    {.name = "corpus", .summary = "torn-tail corpora from a recorded run or from a file"},
    {
        .name = "replay",
        .bit = VERB_REPLAY,
        .usage = "[--run RUN] STATE [options]",
        .summary = "rebuild one state; recover and check it again, or open a shell in it",
        .about = "Rebuilds one crash state of a finished run and runs its recovery and check on it "
                 "once\n"
                 "more, with the options of that run. STATE is a state's id as the report prints "
                 "it, or\n"
                 "the beginning of one. Exit status 0: it held; 1: it did not.",
        .examples = "  brink replay 7f3a91c2d4\n"
                    "  brink replay --run nightly 7f3a91c2d4 --shell\n"
                    "  brink replay 7f3a91c2d4 --keep /tmp/state\n",
        .words_min = 1,
        .words_max = 1,
        .run = verb_replay,
    },
    {.name = "explain", .summary = "how a directory found after a real crash came to be"},
    {.name = "report", .summary = "render a finished run again"},
    {
        .name = "merge",
        .bit = VERB_MERGE,
        .usage = "RUN... -o RUN",
        .summary = "join the runs of several shards",
        .about =
            "Joins the runs that `brink explore --shard I/N` made on several machines: the same\n"
            "worker, recorded with the same outcome. The result is a run like any other, with\n"
            "counts, findings and reports over all their states.",
        .examples = "  brink merge part-1 part-2 part-3 -o whole\n",
        .words_min = 1,
        .words_max = MANY,
        .run = verb_merge,
    },
    {
        .name = "doctor",
        .bit = VERB_DOCTOR,
        .usage = "",
        .summary = "what this machine allows, and what to do about what it does not",
        .about =
            "Tries each ability of the machine that brink uses and says which way it goes: yes,\n"
            "fallback (slower or less private), or no, with what to do. Honours BRINK_WITHOUT.\n"
            "Exit status 0 when all that is needed is there, 1 otherwise.",
        .examples = "  brink doctor\n"
                    "  BRINK_WITHOUT=all brink doctor\n",
        .run = verb_doctor,
    },
};

enum { VERBS = sizeof table / sizeof *table };

const struct verb *verb_table(size_t *count)
{
    *count = VERBS;
    return table;
}

const struct verb *verb_find(const char *name)
{
    for (size_t i = 0; i < VERBS; i++) {
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    }
    return NULL;
}

const char *verb_nearest(const char *name)
{
    const char *names[VERBS];
    for (size_t i = 0; i < VERBS; i++)
        names[i] = table[i].name;
    return nearest_word(name, names, VERBS);
}
