#include "trial_test.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/base/folder.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static void run_setup(const char *dir, const char *command)
{
    const pid_t pid = fork();
    if (pid == 0) {
        if (chdir(dir) == 0)
            execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    cr_assert_eq(status, 0, "setup: %s", command);
}

void trial_init(struct trial *recording, const char *setup)
{
    struct err err = {0};
    *recording = (struct trial){.workspace_fd = -1};
    cr_assert(folder_temporary("/tmp", &recording->dir, &err), "%s", err.text);
    recording->workspace = mem_format("%s/w", recording->dir);
    mkdir(recording->workspace, 0755);
    recording->workspace_fd = open(recording->workspace, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (setup != NULL)
        run_setup(recording->workspace, setup);
    recording->options = (struct record_options){
        .workspace = recording->workspace, .copy_fd = -1, .stdin_fd = -1, .want_pin = true};
}

void trial_fini(struct trial *recording)
{
    struct err err = {0};
    trace_writer_fini(&recording->writer);
    trace_fini(&recording->trace);
    free(recording->items.items);
    close(recording->workspace_fd);
    cr_expect(folder_remove(AT_FDCWD, recording->dir, &err), "%s", err.text);
    free(recording->workspace);
    free(recording->dir);
}

bool trial_run(struct trial *recording, const char *const argv[])
{
    struct err err = {0};
    trace_init(&recording->trace);
    recording->trace.nodes = NODE_ROOT + 1;
    const int payload = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    trace_writer_init(&recording->writer, &recording->trace, payload);
    const struct snapshot_options options = {
        .dir = NODE_ROOT, .prefix = "", .exclude = recording->options.exclude};
    cr_assert(snapshot_read(&recording->writer, recording->workspace_fd, &options,
                            &recording->items, &err),
              "%s", err.text);
    recording->trace.initial = recording->trace.count;
    recording->options.argv = argv;
    recording->end = RECORD_ENDED;
    const bool is_done = record(&recording->options, &recording->items, &recording->writer,
                                &recording->end, &recording->err);
    cr_assert(trace_writer_finish(&recording->writer, &err), "%s", err.text);
    return is_done;
}

bool trial_shell(struct trial *recording, const char *command)
{
    const char *const argv[] = {"/bin/sh", "-c", command, NULL};
    return trial_run(recording, argv);
}

char *trial_compile(const struct trial *recording, const char *source)
{
    char *file OWN(own_mem) = mem_format("%s/worker.c", recording->dir);
    char *program = mem_format("%s/worker", recording->dir);
    char *command OWN(own_mem) =
        mem_format("${CC:-gcc} -w -O1 -pthread -D_GNU_SOURCE -o '%s' '%s'", program, file);
    const int fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    cr_assert_eq(write(fd, source, strlen(source)), (ssize_t)strlen(source));
    close(fd);
    run_setup(recording->dir, command);
    return program;
}

char *trial_difference(struct trial *recording, uint32_t count, uint64_t bytes)
{
    struct err err = {0};
    char *difference = NULL;
    struct tree *tree = tree_new(&recording->trace);
    for (uint32_t i = 0; i < count; i++)
        cr_assert(tree_apply(tree, &recording->trace.ops[i], &err), "%s", err.text);
    if (bytes > 0)
        cr_assert(tree_apply_part(tree, &recording->trace.ops[count], 0, bytes, &err), "%s",
                  err.text);
    cr_assert(snapshot_compare(tree, recording->workspace_fd, recording->options.exclude,
                               &difference, &err),
              "%s", err.text);
    tree_free(tree);
    return difference;
}

const struct op *trial_op(const struct trial *recording, enum op_kind kind, unsigned n)
{
    const struct trace *trace = &recording->trace;
    for (uint32_t i = trace->initial; i < trace->count; i++) {
        if (trace->ops[i].kind == kind && n-- == 0)
            return &trace->ops[i];
    }
    return NULL;
}

unsigned trial_count(const struct trial *recording, enum op_kind kind)
{
    unsigned count = 0;
    while (trial_op(recording, kind, count) != NULL)
        count++;
    return count;
}

bool trial_has_note(const struct trial *recording, const char *text)
{
    const struct trace_about *about = &recording->trace.about;
    for (size_t i = 0; i < about->notes_count; i++) {
        if (strstr(about->notes[i], text) != NULL)
            return true;
    }
    return false;
}
