#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum {
    SLOTS = 256, /* descriptors of ours that stay open; a power of two */
    MEM_MAJOR = 1,
};

/* What was found out about one descriptor. It holds while the kernel gives the same mount and inode
 * for it. */
struct slot {
    pid_t tid;
    int fd;
    int info_fd;
    uint64_t mount, inode;
    bool is_known;
    struct file file;
};

struct files {
    struct nodes *nodes;
    int stdout_fd, stderr_fd;
    char *workspace; /* with a slash at its end */
    struct stat stdout_facts, stderr_facts;
    bool is_kcmp_missing;
    struct map inherited; /* inodes of pipes and sockets from outside */
    struct slot slots[SLOTS];
};

struct files *files_new(struct nodes *nodes, const struct files_options *options)
{
    struct files *files = mem_new(1, sizeof *files);
    files->nodes = nodes;
    files->workspace = mem_format("%s/", options->workspace);
    files->stdout_fd = options->stdout_fd;
    files->stderr_fd = options->stderr_fd;
    if (fstat(options->stdout_fd, &files->stdout_facts) == -1)
        files->stdout_fd = -1;
    if (fstat(options->stderr_fd, &files->stderr_facts) == -1)
        files->stderr_fd = -1;
    for (size_t i = 0; i < SLOTS; i++)
        files->slots[i].info_fd = -1;
    return files;
}

void files_free(struct files *files)
{
    if (files == NULL)
        return;
    for (size_t i = 0; i < SLOTS; i++)
        own_close_now(&files->slots[i].info_fd);
    map_fini(&files->inherited);
    free(files->workspace);
    free(files);
}

static bool stat_descriptor(pid_t tid, int fd, struct stat *facts)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)tid, fd);
    return stat(path, facts) == 0;
}

void files_inherit(struct files *files, pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *dir = opendir(path);
    if (dir == NULL)
        return;
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        struct stat facts;
        const int fd = (int)strtol(entry->d_name, NULL, 10);
        if (entry->d_name[0] != '.' && stat_descriptor(pid, fd, &facts) &&
            (S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode)))
            map_put(&files->inherited, facts.st_ino, facts.st_dev);
    }
    closedir(dir);
}

bool files_are_one(pid_t a, int fd_a, pid_t b, int fd_b)
{
    return syscall(SYS_kcmp, a, b, KCMP_FILE, (long)fd_a, (long)fd_b) == 0;
}

/* Whether the descriptor is the same open file description as `ours`, which has these facts. */
static bool is_same(struct files *files, const struct slot *slot, int ours,
                    const struct stat *facts)
{
    if (ours == -1 || facts->st_ino != slot->file.ino || facts->st_dev != slot->file.dev)
        return false;
    if (!files->is_kcmp_missing) {
        const long order =
            syscall(SYS_kcmp, getpid(), slot->tid, KCMP_FILE, (long)ours, (long)slot->fd);
        if (order >= 0)
            return order == 0;
        files->is_kcmp_missing = true;
        trace_writer_note(files->nodes->writer,
                          "this kernel has no kcmp: what is written to the same file as stdout, "
                          "through another open, counts as stdout");
    }
    return true;
}

/* The kernel's name for what is open: a path, or "pipe:[123]". */
static void link_text(const struct slot *slot, char text[PATH_MAX])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)slot->tid, slot->fd);
    const ssize_t size = readlink(path, text, PATH_MAX - 1);
    text[size < 0 ? 0 : size] = '\0';
}

/* Regular files that nobody outside can see: memory that shows as a file, the kernel's own, and
 * what the user has excluded from the workspace. */
static bool is_hidden(const struct files *files, const char *text)
{
    const char *const hidden[] = {"/memfd:", "/SYSV", "/proc/", files->workspace};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        if (strncmp(text, hidden[i], strlen(hidden[i])) == 0)
            return true;
    }
    return false;
}

static enum file_kind kind_of_outside(const struct files *files, const struct slot *slot,
                                      const char *text)
{
    const struct file *file = &slot->file;
    uint64_t dev;
    switch (file->mode & S_IFMT) {
    case S_IFSOCK:
        return FILE_SOCKET;
    case S_IFIFO:
        if (text[0] == '/' || (map_get(&files->inherited, file->ino, &dev) && dev == file->dev))
            return FILE_OUTSIDE;
        return FILE_NOTHING;
    case S_IFREG:
        return is_hidden(files, text) ? FILE_NOTHING : FILE_OUTSIDE;
    case S_IFBLK:
    case S_IFCHR:
        return FILE_OUTSIDE;
    default:
        return FILE_NOTHING;
    }
}

static bool is_memory_device(pid_t tid, int fd)
{
    struct stat facts;
    return stat_descriptor(tid, fd, &facts) && S_ISCHR(facts.st_mode) &&
           major(facts.st_rdev) == MEM_MAJOR;
}

static void describe_outside(struct files *files, struct slot *slot)
{
    char text[PATH_MAX];
    struct file *file = &slot->file;
    link_text(slot, text);
    file->kind = kind_of_outside(files, slot, text);
    if (file->kind != FILE_OUTSIDE)
        return;
    if (is_memory_device(slot->tid, slot->fd))
        file->kind = FILE_NOTHING;
    const size_t prefix = strlen(files->workspace);
    const bool is_ours = strncmp(text, files->workspace, prefix) == 0; /* a FIFO or device in it */
    const bool is_terminal = S_ISCHR(file->mode) && (strncmp(text, "/dev/pts/", 9) == 0 ||
                                                     strncmp(text, "/dev/tty", 8) == 0 ||
                                                     strcmp(text, "/dev/console") == 0);
    char *name OWN(own_mem) =
        mem_format("%s%s", is_terminal ? "tty " : "", is_ours ? text + prefix : text);
    file->path = strings_add(&files->nodes->writer->trace->strings, name);
}

/* Fills in what the inode says; the caller has tid, fd, mount and inode in place. */
static bool learn(struct files *files, struct slot *slot)
{
    struct stat facts;
    if (!stat_descriptor(slot->tid, slot->fd, &facts))
        return false;
    slot->file = (struct file){.dev = facts.st_dev, .ino = facts.st_ino, .mode = facts.st_mode};
    describe_outside(files, slot);
    slot->is_known = true;
    return true;
}

static const char *after(const char *text, const char *label)
{
    const char *found = strstr(text, label);
    return found == NULL ? NULL : found + strlen(label);
}

/* What fdinfo said. A kernel before 5.14 gives no inode: then nothing may be remembered. */
struct info {
    uint64_t position, mount, inode;
    unsigned flags;
    bool has_inode;
};

static bool read_info(const struct slot *slot, struct info *out)
{
    char text[160];
    const ssize_t size = pread(slot->info_fd, text, sizeof text - 1, 0);
    if (size <= 0)
        return false;
    text[size] = '\0';
    const char *position = after(text, "pos:\t");
    const char *flags = after(text, "flags:\t");
    const char *mount = after(text, "mnt_id:\t");
    const char *inode = after(text, "ino:\t");
    if (position == NULL || flags == NULL || mount == NULL)
        return false;
    *out = (struct info){.position = strtoull(position, NULL, 10),
                         .flags = (unsigned)strtoull(flags, NULL, 8),
                         .mount = strtoull(mount, NULL, 10),
                         .inode = inode == NULL ? 0 : strtoull(inode, NULL, 10),
                         .has_inode = inode != NULL};
    return true;
}

static struct slot *slot_for(struct files *files, pid_t tid, int fd)
{
    const unsigned place = ((unsigned)tid * 31 + (unsigned)fd) & (SLOTS - 1);
    struct slot *slot = &files->slots[place];
    if (slot->info_fd != -1 && slot->tid == tid && slot->fd == fd)
        return slot;
    own_close_now(&slot->info_fd);
    *slot = (struct slot){.tid = tid, .fd = fd, .info_fd = -1};
    return slot;
}

static bool reopen_info(struct slot *slot)
{
    char path[64];
    own_close_now(&slot->info_fd);
    slot->is_known = false;
    snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", (int)slot->tid, slot->fd);
    slot->info_fd = open(path, O_RDONLY | O_CLOEXEC);
    return slot->info_fd != -1;
}

/* What the worker's stdout and stderr are called, and whether this is one of them. Asked anew each
 * time, for another open of the same terminal has the same mount and inode. */
static void tell_standard(struct files *files, const struct slot *slot, struct file *file)
{
    struct strings *strings = &files->nodes->writer->trace->strings;
    if (is_same(files, slot, files->stdout_fd, &files->stdout_facts)) {
        file->kind = FILE_OUTSIDE;
        file->is_acked = file->is_inherited = true;
        file->path = strings_add(strings, "stdout");
    } else if (is_same(files, slot, files->stderr_fd, &files->stderr_facts)) {
        file->kind = FILE_OUTSIDE;
        file->is_inherited = true;
        file->path = strings_add(strings, "stderr");
    }
}

/* An inode number that belonged to a deleted file of ours may have been given to somebody else's:
 * a node without names whose inode has one is no longer ours. */
static bool is_stale(const struct files *files, const struct slot *slot, uint32_t node)
{
    const struct node_facts *facts = nodes_facts(files->nodes, node);
    struct stat now;
    return facts != NULL && node != NODE_ROOT && facts->links == 0 &&
           stat_descriptor(slot->tid, slot->fd, &now) && now.st_nlink > 0;
}

bool files_get(struct files *files, pid_t tid, int fd, struct file *out)
{
    struct info info;
    if (fd < 0)
        return false;
    struct slot *slot = slot_for(files, tid, fd);
    if (slot->info_fd == -1 || !read_info(slot, &info)) {
        if (!reopen_info(slot) || !read_info(slot, &info))
            return false;
    }
    const bool is_same_file =
        slot->is_known && info.has_inode && slot->mount == info.mount && slot->inode == info.inode;
    slot->mount = info.mount;
    slot->inode = info.inode;
    if (!is_same_file && !learn(files, slot))
        return false;
    *out = slot->file;
    out->position = info.position;
    out->flags = info.flags;
    const uint32_t node = nodes_of_inode(files->nodes, out->dev, out->ino);
    const bool has_content = S_ISREG(out->mode) || S_ISDIR(out->mode);
    if (has_content && node != NODE_NONE && !is_stale(files, slot, node)) {
        out->kind = FILE_NODE;
        out->node = node;
    } else {
        tell_standard(files, slot, out);
    }
    return true;
}

int files_reopen(pid_t tid, int fd)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)tid, fd);
    return open(path, O_RDONLY | O_CLOEXEC);
}
