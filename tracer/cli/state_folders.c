#include "state_folders.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counts.h"
#include "tracer/base/folder.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/states/disk.h"
#include "tracer/states/enumerate.h"
#include "tracer/states/walker.h"
#include "tracer/trace/recoveries.h"
#include "tracer/trace/snapshot.h"

enum { FOLDERS_MAX = 200, ACKED_CHUNK = 65536 };
#define BYTES_MAX (UINT64_C(256) << 20)

struct writer {
    const struct run *run;
    int states_fd;
    struct tree *final; /* the workspace at the end of the run */
    uint8_t *chosen;    /* for each state */
    size_t violated, written;
    uint64_t bytes;
};

/* The states that findings name, then the others in order. */
static void choose(struct writer *writer)
{
    const struct run *run = writer->run;
    size_t chosen = 0;
    for (size_t i = 0; i < run->states_count; i++) {
        if (!counts_is_violation(run->verdicts[i].kind))
            continue;
        writer->violated++;
        for (size_t j = 0; j < run->findings_count && writer->chosen[i] == 0; j++)
            writer->chosen[i] = strcmp(run->findings[j].replay, run->states[i].id) == 0;
        chosen += writer->chosen[i];
    }
    for (size_t i = 0; i < run->states_count && chosen < FOLDERS_MAX; i++) {
        if (writer->chosen[i] != 0 || !counts_is_violation(run->verdicts[i].kind))
            continue;
        writer->chosen[i] = 1;
        chosen++;
    }
}

static bool make_folder(int parent_fd, const char *name, int *out_fd, struct err *err)
{
    if (mkdirat(parent_fd, name, 0777) != 0)
        return err_system(err, "make the folder %s", name);
    *out_fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    return *out_fd >= 0 || err_system(err, "open the folder %s", name);
}

static FILE *open_file(int dir_fd, const char *name)
{
    int fd OWN(own_fd) = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file != NULL)
        own_take_fd(&fd);
    return file;
}

static bool close_file(FILE *file, const char *name, struct err *err)
{
    const bool is_written = fflush(file) == 0 && ferror(file) == 0;
    if (!is_written)
        err_system(err, "write %s", name);
    fclose(file);
    return is_written;
}

static bool copy_payload(const struct trace *trace, const struct op *op, uint64_t size, FILE *to,
                         struct err *err)
{
    char *chunk OWN(own_mem) = mem_new(ACKED_CHUNK, 1);
    for (uint64_t done = 0; done < size;) {
        const uint64_t left = size - done;
        const size_t now = left < ACKED_CHUNK ? (size_t)left : ACKED_CHUNK;
        if (!trace_read(trace, op->payload + done, chunk, now, err))
            return false;
        fwrite(chunk, 1, now, to);
        done += now;
    }
    return true;
}

/* Exactly what the worker's stdout had accepted before the crash. */
static bool write_acked(const struct run *run, const struct state *state, int dir_fd,
                        struct err *err)
{
    const struct trace *trace = run->trace;
    uint64_t left = state->acked_bytes;
    FILE *file = open_file(dir_fd, "acked");
    if (file == NULL)
        return err_system(err, "write acked");
    bool is_done = true;
    for (uint32_t i = trace->initial; is_done && left > 0 && i < trace->count; i++) {
        const struct op *op = &trace->ops[i];
        if (op->kind != OP_OUTPUT || (op->flags & OP_ACKED) == 0)
            continue;
        const uint64_t size = op->payload_size < left ? op->payload_size : left;
        is_done = copy_payload(trace, op, size, file, err);
        left -= size;
    }
    if (!is_done) {
        fclose(file);
        return false;
    }
    return close_file(file, "acked", err);
}

static bool write_output(const struct verdict *verdict, int dir_fd, struct err *err)
{
    FILE *file = open_file(dir_fd, "output");
    if (file == NULL)
        return err_system(err, "write output");
    if (verdict->output != NULL)
        fputs(verdict->output, file);
    return close_file(file, "output", err);
}

/* The op that had been done last, and the one that the crash met. */
static void tell_place(const struct trace *whole, const struct state *state, FILE *to)
{
    struct trace view = *whole;
    const struct trace *trace = &view;
    if (state->recovery != 0)
        view = recoveries_trace(whole, state->recovery - 1);
    if (state->op > trace->initial) {
        char *last OWN(own_mem) = trace_sentence(trace, &trace->ops[state->op - 1]);
        fprintf(to, "last done: op %" PRIu32 ", %s\n", state->op - trace->initial, last);
    }
    if (state->op < trace->count) {
        char *next OWN(own_mem) = trace_sentence(trace, &trace->ops[state->op]);
        fprintf(to, "%s: op %" PRIu32 ", %s\n", state->variant != 0 ? "torn inside" : "not begun",
                state->op - trace->initial + 1, next);
    }
}

static bool write_about(const struct writer *writer, size_t index, int dir_fd, int workspace_fd,
                        struct err *err)
{
    const struct run *run = writer->run;
    const struct state *state = &run->states[index];
    const struct verdict *verdict = &run->verdicts[index];
    char *difference OWN(own_mem) = NULL;
    if (!snapshot_compare(writer->final, workspace_fd, NULL, &difference, err))
        return false;
    FILE *file = open_file(dir_fd, "about.txt");
    if (file == NULL)
        return err_system(err, "write about.txt");
    char *what OWN(own_mem) = state_describe(run->trace, state);
    fprintf(file, "state: %s\nmodel: %s\nstate is: %s\n", state->id, model_name(state->model),
            what);
    tell_place(run->trace, state, file);
    fprintf(file, "promised: %" PRIu64 " bytes on stdout (file acked), %" PRIu32 " messages sent\n",
            state->acked_bytes, state->sent_messages);
    fprintf(file, "verdict: %s, %s\n", verdict_name(verdict->kind),
            verdict->why != NULL ? verdict->why : "");
    fprintf(file, "against the workspace at the end of the run: %s\n",
            difference != NULL ? difference : "no difference");
    fprintf(file, "again: brink replay --run %s %s\n", run->out, state->id);
    return close_file(file, "about.txt", err);
}

static uint64_t tree_bytes(const struct tree *tree, const struct trace *trace)
{
    uint64_t bytes = 0;
    for (uint32_t node = NODE_ROOT; node < trace->nodes; node++) {
        const struct tree_node *about = tree_node(tree, node);
        if (about != NULL && about->links > 0 && S_ISREG(about->mode))
            bytes += about->size;
    }
    return bytes;
}

static bool write_workspace(struct tree *tree, int fd, struct err *err)
{
    const struct disk_options options = {.want_owner = geteuid() == 0, .want_xattr = true};
    struct disk *disk = NULL;
    if (!disk_open(tree, fd, &options, &disk, err))
        return false;
    disk_close(disk);
    return true;
}

static bool write_state(struct writer *writer, size_t index, struct tree *tree, struct err *err)
{
    const struct run *run = writer->run;
    int fd OWN(own_fd) = -1;
    int workspace_fd OWN(own_fd) = -1;
    writer->written++;
    writer->bytes += tree_bytes(tree, run->trace);
    return make_folder(writer->states_fd, run->states[index].id, &fd, err) &&
           make_folder(fd, "workspace", &workspace_fd, err) &&
           write_workspace(tree, workspace_fd, err) &&
           write_acked(run, &run->states[index], fd, err) &&
           write_output(&run->verdicts[index], fd, err) &&
           write_about(writer, index, fd, workspace_fd, err);
}

static bool write_chosen(struct writer *writer, struct err *err)
{
    const struct run *run = writer->run;
    struct walker *walker = walker_new(run->trace);
    bool is_done = true;
    for (size_t i = 0; is_done && i < run->states_count; i++) {
        if (writer->chosen[i] == 0 || writer->bytes > BYTES_MAX)
            continue;
        is_done = walker_to(walker, &run->states[i], err) &&
                  write_state(writer, i, walker_tree(walker), err);
        if (!is_done)
            err_while(err, "write states/%s", run->states[i].id);
    }
    walker_free(walker);
    return is_done;
}

static bool make_final(const struct trace *trace, struct tree **out, struct err *err)
{
    struct tree *tree = tree_new(trace);
    for (uint32_t i = 0; i < trace->count; i++) {
        if (tree_apply(tree, &trace->ops[i], err))
            continue;
        tree_free(tree);
        return false;
    }
    *out = tree;
    return true;
}

bool state_folders_write(const struct run *run, int dir_fd, char **note, struct err *err)
{
    if (!folder_remove(dir_fd, "states", err))
        return false;
    char *chosen OWN(own_mem) = mem_new(run->states_count + 1, 1);
    int states_fd OWN(own_fd) = -1;
    struct writer writer = {.run = run, .chosen = (uint8_t *)chosen};
    choose(&writer);
    if (writer.violated == 0)
        return true;
    if (!make_folder(dir_fd, "states", &states_fd, err) ||
        !make_final(run->trace, &writer.final, err))
        return false;
    writer.states_fd = states_fd;
    const bool is_done = write_chosen(&writer, err);
    tree_free(writer.final);
    if (is_done && writer.written < writer.violated) {
        *note = mem_format("states/ holds %zu of %zu violated states; brink replay --run %s ID "
                           "--keep DIR writes any other",
                           writer.written, writer.violated, run->out);
    }
    return is_done;
}
