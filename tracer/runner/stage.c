#include "stage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "place.h"
#include "room.h"
#include "temporary.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/ptrace/record.h"

/* Slots in memory may take this part of what is free. */
enum { MEMORY_SHARE = 4 };

void stage_add_note(char **note, const char *line)
{
    if (*note && strstr(*note, line))
        return;
    char *longer = *note ? mem_format("%s; %s", *note, line) : mem_string(line);
    free(*note);
    *note = longer;
}

/* The first folder on the way to path that is not there. Caller frees; NULL: all are. */
static char *first_missing(const char *path)
{
    char *missing = NULL;
    char *at = mem_string(path);
    while (access(at, F_OK) < 0 && errno == ENOENT) {
        char *parent = temporary_parent_of(at);
        free(missing);
        missing = at;
        at = parent;
    }
    free(at);
    return missing;
}

static bool make_folders(const char *path, struct err *err)
{
    char *missing = first_missing(path);
    while (missing) {
        if (mkdir(missing, 0755) < 0) {
            err_system(err, "make the workspace's path %s", missing);
            free(missing);
            return false;
        }
        free(missing);
        missing = first_missing(path);
    }
    return true;
}

/* A mount needs a directory to be mounted on. */
static bool make_mountpoint(struct stage *stage, struct err *err)
{
    struct stat status;
    stage->made = first_missing(stage->workspace);
    if (stage->made && !janitor_watch(stage->janitor, stage->made, err))
        return false;
    if (!make_folders(stage->workspace, err))
        return false;
    if (stat(stage->workspace, &status) < 0)
        return err_system(err, "look at the workspace %s", stage->workspace);
    if (!S_ISDIR(status.st_mode))
        return err_usage(err, "workspace %s: not a directory", stage->workspace);
    return true;
}

/* Without namespaces: the states stand at the workspace's own path, for commands know it by that.
 */
static bool move_aside(struct stage *stage, struct err *err)
{
    char *parent OWN(own_mem) = temporary_parent_of(stage->workspace);
    if (!janitor_folder(stage->janitor, parent, &stage->holder, err))
        return false;
    stage->aside = mem_format("%s/original", stage->holder);
    if (!janitor_restore(stage->janitor, stage->aside, stage->workspace, err))
        return false;
    if (rename(stage->workspace, stage->aside) < 0)
        return err_system(err, "move the workspace %s aside", stage->workspace);
    if (mkdir(stage->workspace, 0700) < 0)
        return err_system(err, "make an empty workspace at %s", stage->workspace);
    return true;
}

static bool without_namespaces(struct stage *stage, const char *why, struct err *err)
{
    char *line OWN(own_mem) =
        mem_format("no namespaces here (%s): states are tried one at a time, at %s itself", why,
                   stage->workspace);
    stage_add_note(&stage->note, line);
    stage->slots = 1;
    return move_aside(stage, err);
}

static bool make_slot_folders(struct stage *stage, const char *parent, struct err *err)
{
    char *real OWN(own_mem) = realpath(parent, NULL);
    if (!real)
        return err_usage(err, "slot folder %s: %s", parent, strerror(errno));
    if (temporary_is_inside(real, stage->workspace))
        return err_usage(err, "slot folder %s lies in the workspace; choose another", parent);
    stage->folders = mem_new(stage->slots, sizeof *stage->folders);
    for (uint32_t i = 0; i < stage->slots; i++) {
        if (!janitor_folder(stage->janitor, real, &stage->folders[i], err))
            return false;
    }
    return true;
}

/* The worker used what older memory file systems do not have; its recovery will, too. */
static bool needs_disk(const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->count; i++) {
        if ((trace->ops[i].flags & OP_DIRECT) || trace->ops[i].kind == OP_SETXATTR)
            return true;
    }
    return false;
}

/* Why slots cannot be in memory, or NULL. */
static const char *against_memory(const struct stage *stage, const struct job_options *options,
                                  bool is_memory_whole)
{
    const uint64_t needed = room_needed(options->trace) * stage->slots;
    if (needed > room_memory() / MEMORY_SHARE)
        return "the workspace is too large for memory";
    if ((!is_memory_whole || (options->without & WITHOUT_TMPFS)) && needs_disk(options->trace))
        return "memory file systems have no O_DIRECT or attributes here";
    return NULL;
}

static bool choose_medium(struct stage *stage, const struct job_options *options,
                          bool is_memory_whole, struct err *err)
{
    if (options->slot_dir)
        return make_slot_folders(stage, options->slot_dir, err);
    const char *reason = against_memory(stage, options, is_memory_whole);
    if (!reason)
        return true;
    char *parent OWN(own_mem) = NULL;
    if (!temporary_parent(stage->workspace, &parent, err))
        return false;
    char *line OWN(own_mem) = mem_format("%s: slots are on disk, in %s", reason, parent);
    stage_add_note(&stage->note, line);
    return make_slot_folders(stage, parent, err);
}

bool stage_set(struct stage *stage, const struct job_options *options, uint32_t slots,
               struct err *err)
{
    *stage = (struct stage){
        .janitor = options->janitor, .workspace = options->workspace, .slots = slots};
    char *parent OWN(own_mem) = NULL;
    struct err why = {0};
    if (!temporary_parent(stage->workspace, &parent, err) ||
        !janitor_folder(stage->janitor, parent, &stage->promises, err) ||
        !make_mountpoint(stage, err))
        return false;
    bool is_memory_whole = false;
    stage->is_isolated = place_try(&is_memory_whole, &why);
    if (!stage->is_isolated)
        return without_namespaces(stage, why.text, err);
    return choose_medium(stage, options, is_memory_whole, err);
}

static bool remove_folder(struct stage *stage, char **path, struct err *err)
{
    const bool is_done =
        !*path || err->kind != ERR_NONE || janitor_remove(stage->janitor, *path, err);
    free(*path);
    *path = NULL;
    return is_done;
}

bool stage_strike(struct stage *stage, struct err *err)
{
    for (uint32_t i = 0; stage->folders && i < stage->slots; i++)
        (void)!remove_folder(stage, &stage->folders[i], err);
    free(stage->folders);
    stage->folders = NULL;
    if (stage->aside && err->kind == ERR_NONE)
        (void)!janitor_bring_back(stage->janitor, stage->aside, stage->workspace, err);
    free(stage->aside);
    stage->aside = NULL;
    (void)!remove_folder(stage, &stage->holder, err);
    (void)!remove_folder(stage, &stage->made, err);
    (void)!remove_folder(stage, &stage->promises, err);
    free(stage->note);
    stage->note = NULL;
    return err->kind == ERR_NONE;
}
