#include "place.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/trace/snapshot.h"

bool place_path(const struct tracee *tracee, int index, char path[PATH_MAX])
{
    return memory_string(tracee->tid, tracee->call.args[index], path, PATH_MAX);
}

struct walk_who place_who(const struct tracee *tracee, int dirfd)
{
    return (struct walk_who){.pid = tracee->process->pid,
                             .tid = tracee->tid,
                             .dirfd = dirfd < 0 ? AT_FDCWD : (int)tracee->call.args[dirfd]};
}

uint32_t place_node_of(const struct recorder *recorder, int fd, uint32_t *mode)
{
    struct stat facts;
    if (fstat(fd, &facts) == -1)
        return NODE_NONE;
    if (mode != NULL)
        *mode = facts.st_mode;
    const uint32_t node = nodes_of_inode(&recorder->nodes, facts.st_dev, facts.st_ino);
    const struct node_facts *known = nodes_facts(&recorder->nodes, node);
    /* A node that has lost its last name, and an inode that has one: the number was given again. */
    if (node > NODE_ROOT && known->links == 0 && facts.st_nlink > 0)
        return NODE_NONE;
    return node;
}

static bool is_excluded(struct recorder *recorder, uint32_t dir, const char *name)
{
    if (recorder->options->exclude == NULL)
        return false;
    char *path OWN(own_mem) = nodes_path_at(&recorder->nodes, dir, name);
    return snapshot_excluded(recorder->options->exclude, path);
}

static void look_up(struct recorder *recorder, struct call_place *place)
{
    place->node = NODE_NONE;
    place->dir = place_node_of(recorder, place->walk.dir_fd, NULL);
    if (place->walk.name[0] == '\0') {
        place->node = place->dir;
        place->dir = NODE_NONE;
        return;
    }
    if (place->dir != NODE_NONE && is_excluded(recorder, place->dir, place->walk.name))
        place->dir = NODE_NONE;
    if (place->dir != NODE_NONE) {
        place->node = nodes_lookup(&recorder->nodes, place->dir, place->walk.name);
        return;
    }
    /* A name outside may be another name of a file of the workspace. */
    int fd OWN(own_fd) = walk_open_place(&place->walk);
    if (fd != -1)
        place->node = place_node_of(recorder, fd, NULL);
}

bool place_find(struct recorder *recorder, const struct walk_who *who, const char *path,
                struct call_place *out)
{
    if (!walk_parent(who, path, &out->walk))
        return false;
    look_up(recorder, out);
    return true;
}

bool place_find_followed(struct recorder *recorder, const struct walk_who *who, const char *path,
                         struct call_place *out)
{
    if (!walk_parent_followed(who, path, &out->walk))
        return false;
    look_up(recorder, out);
    return true;
}

char *place_name(struct recorder *recorder, const struct call_place *place)
{
    if (place->dir != NODE_NONE)
        return nodes_path_at(&recorder->nodes, place->dir, place->walk.name);
    char link[40], text[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", place->walk.dir_fd);
    const ssize_t size = readlink(link, text, sizeof text - 1);
    text[size < 0 ? 0 : size] = '\0';
    return mem_format("%s%s%s", strcmp(text, "/") == 0 ? "" : text,
                      place->walk.name[0] != '\0' ? "/" : "", place->walk.name);
}

void place_fini(struct call_place *place)
{
    walk_place_fini(&place->walk);
}
