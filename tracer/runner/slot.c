#include "slot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attempt.h"
#include "environment.h"
#include "medium.h"
#include "pids.h"
#include "place.h"
#include "replay.h"
#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/ptrace/record.h"
#include "tracer/states/walker.h"
#include "transcript.h"

/* Inside of a slot's process. It ends by _exit: nothing of it is ever freed. */
struct inside {
    const struct work *work;
    uint32_t number;
    struct mailbox mail;
    bool has_proc;
    int dir_fd;
    struct environment environment;
    struct console console;
    struct guard guard;
    struct launcher launcher;
    struct walker *walker;
    struct disk *disk;
    struct promises promises;
    struct attempt attempt;
    struct transcript transcript;
    struct job_recording recording; /* its trace is changed: our own since the fork */
    bool is_cancelled;
};

static bool settle(struct inside *inside, const char *folder, pid_t parent, struct err *err)
{
    const struct job_options *options = inside->work->options;
    const int folder_fd OWN(own_fd) =
        folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (folder && folder_fd < 0)
        return err_system(err, "open %s", folder);
    struct place place = {.workspace = options->workspace,
                          .promises = inside->work->promises,
                          .folder_fd = folder_fd,
                          .want_host_net = options->want_host_net};
    if (inside->work->is_isolated) {
        if (!place_enter(&place, parent, err))
            return false;
        inside->has_proc = place.has_proc;
        if (!place.has_net && !options->want_host_net)
            mailbox_put_note(&inside->mail, "states have no network of their own here");
    } else if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0) {
        return err_system(err, "take over orphans");
    }
    if (chdir(options->workspace) < 0)
        return err_system(err, "enter %s", options->workspace);
    inside->dir_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return inside->dir_fd >= 0 || err_system(err, "open %s", options->workspace);
}

static bool open_tree(struct inside *inside, struct err *err)
{
    const struct job_options *options = inside->work->options;
    struct medium medium = {0};
    if (!medium_try(inside->dir_fd, &medium, err))
        return false;
    const struct disk_options disk = {
        .trust_times = medium.has_fine_times && !(options->without & WITHOUT_MGTIME),
        .want_owner = medium.can_chown,
        .want_xattr = medium.has_xattrs && !(options->without & WITHOUT_TMPFS)};
    inside->walker = walker_new(options->trace);
    if (!walker_to_position(inside->walker, options->trace->initial, err))
        return false;
    return disk_open(walker_tree(inside->walker), inside->dir_fd, &disk, &inside->disk, err) &&
           promises_open(&inside->promises, options->trace, inside->work->promises,
                         disk.trust_times, err);
}

static void fill_environment(struct inside *inside)
{
    const struct job_options *options = inside->work->options;
    struct environment *environment = &inside->environment;
    environment_init(environment, options->environment);
    environment_put(environment, "PWD", options->workspace);
    environment_put(environment, "BRINK_WORKSPACE", options->workspace);
    environment_put(environment, "BRINK_ACKED", inside->promises.acked.path);
    environment_put(environment, "BRINK_SENT", inside->promises.sent.path);
}

static bool watch_mappings(struct inside *inside, struct err *err)
{
    struct stat workspace;
    struct stat promises;
    if (fstat(inside->dir_fd, &workspace) < 0 || fstat(inside->promises.acked.fd, &promises) < 0)
        return err_system(err, "look at the slot");
    inside->guard = (struct guard){.fd = -1,
                                   .trusts_proc = inside->has_proc || !inside->work->is_isolated,
                                   .devices = {workspace.st_dev, promises.st_dev}};
    guard_install(&inside->guard);
    return true;
}

static bool set_up(struct inside *inside, struct err *err)
{
    const struct work *work = inside->work;
    inside->guard.fd = -1;
    if (!open_tree(inside, err) || !console_open(&inside->console, err))
        return false;
    /* The recorder sees mappings by itself, and answers nobody who asks for one. Nor would anybody
     * answer while a person has the shell; the slot is not used again after that. */
    const bool is_interactive = work->replay && work->replay->want_shell;
    if (!work->recording && !is_interactive && !watch_mappings(inside, err))
        return false;
    fill_environment(inside);
    inside->launcher = (struct launcher){.console = &inside->console,
                                         .guard = &inside->guard,
                                         .cancel_fd = inside->mail.fd,
                                         .is_pid_1 = work->is_isolated,
                                         .timeout_ns = work->options->timeout_ns,
                                         .environment = inside->environment.items};
    if (!launcher_init(&inside->launcher, err))
        return false;
    inside->attempt = (struct attempt){.options = work->options,
                                       .launcher = &inside->launcher,
                                       .disk = inside->disk,
                                       .promises = &inside->promises,
                                       .dir_fd = inside->dir_fd,
                                       .pids_fd = work->is_isolated ? pids_open() : -1,
                                       .pid_base = work->pid_base};
    if (work->recording)
        inside->recording = *work->recording;
    inside->transcript = (struct transcript){.attempt = &inside->attempt,
                                             .walker = inside->walker,
                                             .recording = &inside->recording,
                                             .interrupted = &work->board->is_stopped};
    return true;
}

static bool attempt_once(struct inside *inside, uint64_t index, struct verdict *out,
                         struct err *err)
{
    const struct work *work = inside->work;
    const struct state *state = &work->states[work->order[index]];
    const enum harm harm = work->harms ? work->harms[index] : HARM_NONE;
    const int64_t start = clock_now();
    struct outcome outcome;
    *out = (struct verdict){.state = work->order[index], .recover_status = -1, .check_status = -1};
    if (!attempt_run(&inside->attempt, state, harm, &outcome, err))
        return false;
    inside->is_cancelled = judge_is_cancelled(&outcome);
    if (inside->is_cancelled)
        return true;
    out->elapsed_ns = clock_now() - start;
    out->kind = judge(&outcome, &out->why);
    if (outcome.has_recover)
        out->recover_status = outcome.recover.status;
    if (outcome.has_check)
        out->check_status = outcome.check.status;
    if (out->kind != VERDICT_HELD)
        out->output = console_text(&inside->console);
    return true;
}

/* A second answer that differs is a finding of its own kind: the state decides nothing. */
static void compare_answers(struct verdict *first, const struct verdict *second)
{
    if (first->kind == second->kind)
        return;
    char *both = mem_format("two runs gave two answers: %s; %s", first->why,
                            second->why ? second->why : "held");
    free(first->why);
    first->why = both;
    first->kind = VERDICT_FLAKY;
}

static void free_texts(struct verdict *verdict)
{
    free(verdict->output);
    free(verdict->why);
}

static bool record_state(struct inside *inside, uint64_t index, struct err *err)
{
    const uint32_t number = inside->work->order[index];
    const struct trace_recovery about = recoveries_of_state(&inside->work->states[number], number);
    struct mail mail;
    if (!transcript_take(&inside->transcript, &about, &mail, &inside->is_cancelled, err))
        return false;
    if (!inside->is_cancelled)
        mailbox_put_recorded(&inside->mail, &mail);
    free(mail.bytes);
    return true;
}

static bool try_state(struct inside *inside, uint64_t index, struct err *err)
{
    const struct work *work = inside->work;
    const struct state *state = &work->states[work->order[index]];
    if (!walker_to(inside->walker, state, err) || !disk_sync(inside->disk, err))
        return false;
    environment_set_state(&inside->environment, state);
    if (work->recording)
        return record_state(inside, index, err);
    if (work->replay && !replay_inside(work, inside->dir_fd, &inside->environment, err))
        return false;
    if (work->replay && work->replay->want_shell)
        return true;
    struct verdict first;
    if (!attempt_once(inside, index, &first, err) || inside->is_cancelled)
        return inside->is_cancelled;
    if (first.kind != VERDICT_HELD) {
        struct verdict second;
        if (!attempt_once(inside, index, &second, err))
            return false;
        if (!inside->is_cancelled)
            compare_answers(&first, &second);
        free_texts(&second);
    }
    if (!inside->is_cancelled)
        mailbox_put_verdict(&inside->mail, &first);
    free_texts(&first);
    return true;
}

static bool is_late(const struct inside *inside)
{
    const int64_t deadline = inside->work->options->deadline;
    return deadline && clock_now() >= deadline;
}

static bool try_states(struct inside *inside, struct err *err)
{
    struct board *board = inside->work->board;
    struct board_range range;
    while (board_take(board, &range)) {
        for (uint64_t i = range.next; i < range.end; i++) {
            if (board_is_stopped(board) || is_late(inside))
                return true;
            board_begin(board, inside->number, i);
            if (!try_state(inside, i, err))
                return err_while(err, "state %s", inside->work->states[inside->work->order[i]].id);
            board_end(board, inside->number);
            if (inside->is_cancelled || !mailbox_send_some(&inside->mail))
                return true;
        }
    }
    return true;
}

static void leave(struct inside *inside, const struct err *err)
{
    const char *left_out = inside->disk ? disk_left_out(inside->disk) : NULL;
    if (left_out)
        mailbox_put_note(&inside->mail, left_out);
    if (err->kind != ERR_NONE)
        mailbox_put_err(&inside->mail, err);
    mailbox_put_done(&inside->mail);
    _exit(mailbox_send(&inside->mail) ? 0 : 1);
}

static void live(struct inside *inside, const char *folder, pid_t parent)
{
    struct err err = {0};
    const bool is_interactive = inside->work->replay && inside->work->replay->want_shell;
    if (!is_interactive)
        setsid(); /* a key pressed for brink is brink's business */
    if (settle(inside, folder, parent, &err) && set_up(inside, &err) && !try_states(inside, &err))
        launch_kill_rest(&inside->launcher);
    leave(inside, &err);
}

bool slot_start(const struct work *work, struct slot *slots, uint32_t number, const char *folder,
                struct err *err)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return err_system(err, "make a pair of sockets");
    int ours OWN(own_fd) = ends[0];
    const int theirs OWN(own_fd) = ends[1];
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0)
        return err_system(err, "start a slot");
    if (pid == 0) {
        struct inside *inside = mem_new(1, sizeof *inside);
        inside->work = work;
        inside->number = number;
        mailbox_init(&inside->mail, theirs);
        own_close_now(&ours);
        for (uint32_t i = 0; i < number; i++)
            own_close_now(&slots[i].mail.fd);
        live(inside, folder, parent);
    }
    slots[number] = (struct slot){.pid = pid};
    mailbox_init(&slots[number].mail, own_take_fd(&ours));
    return true;
}
