/* verb_doctor.c - brink doctor: what this machine allows, and what to do about what it does not. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "abilities.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"
#include "tracer/ptrace/isolate.h"
#include "tracer/ptrace/record.h"
#include "tracer/runner/room.h"
#include "verbs.h"

enum { MEGABYTE = 1024 * 1024, MEMORY_NEEDED_MB = 256 };

/* One line: how it stands, what it is, and what follows from it. */
static void say(const char *how, const char *what, const char *note)
{
    if (note[0] == '\0') {
        printf("%-9s %s\n", how, what);
        return;
    }
    printf("%-9s %-34s %s\n", how, what, note);
}

/* What brink cannot do without. */
static bool say_needed(bool is_there, const char *what, const char *why_not)
{
    say(is_there ? "yes" : "no", what, is_there ? "" : why_not);
    return is_there;
}

/* What has a fallback. */
static void say_optional(bool is_there, const char *what, const char *fallback)
{
    say(is_there ? "yes" : "fallback", what, is_there ? "" : fallback);
}

/* A newer feature of the kernel, which a user may switch off. */
static void say_feature(bool is_there, bool is_off, const char *what, const char *fallback)
{
    char note[160];
    snprintf(note, sizeof note, "%s%s", fallback, is_off ? " (BRINK_WITHOUT)" : "");
    say_optional(is_there && !is_off, what, note);
}

static void say_machine(void)
{
    struct utsname name = {0};
    cpu_set_t processors;
    uname(&name);
    CPU_ZERO(&processors);
    sched_getaffinity(0, sizeof processors, &processors);
    printf("brink %s on %s %s %s, %d processors, %s\n", BRINK_VERSION, name.sysname, name.release,
           name.machine, CPU_COUNT(&processors), geteuid() == 0 ? "root" : "ordinary user");
}

static bool say_isolation(void)
{
    struct isolate_abilities found = {0};
    isolate_probe(&found);
    const char *why = found.why[0] != '\0' ? found.why : "";
    bool is_enough = say_needed(found.has_ptrace, "ptrace", why);
    is_enough &= say_needed(found.has_seccomp, "seccomp filters", why);
    const bool has_all = found.has_mount && found.has_net && found.has_pid;
    say_optional(found.has_mount, "mount namespaces",
                 "one job, at the workspace's own path; the original is moved aside and put back");
    say_optional(found.has_pid, "pid namespaces", "left processes are hunted by parentage");
    say_optional(found.has_net, "network namespaces", "commands use the machine's network");
    if (!has_all && is_enough && why[0] != '\0')
        printf("          %s\n", why);
    return is_enough;
}

static void say_features(unsigned without)
{
    say_feature(ability_uffd(), (without & WITHOUT_UFFD) != 0, "userfaultfd WP_ASYNC, PAGEMAP_SCAN",
                "stores through mappings are found by comparison with a copy");
    say_feature(ability_mgtime(), (without & WITHOUT_MGTIME) != 0, "times that change every write",
                "files are compared by content after each command");
    say_feature(ability_setinfo(), (without & WITHOUT_SETINFO) != 0, "PTRACE_SET_SYSCALL_INFO",
                "registers are set instead");
    say_feature(ability_tmpfs(), (without & WITHOUT_TMPFS) != 0,
                "O_DIRECT and user xattrs on tmpfs",
                "workers that need them want --slot-dir on a disk");
    say_optional(ability_kcmp(), "kcmp",
                 "who shares a descriptor is followed from the calls alone");
}

static void say_memory(void)
{
    char text[64];
    const uint64_t megabytes = room_memory() / MEGABYTE;
    snprintf(text, sizeof text, "memory for slots: %" PRIu64 " MB free", megabytes);
    say_optional(megabytes >= MEMORY_NEEDED_MB, text, "use --slot-dir on a disk, or fewer --jobs");
}

/* Folders that a brink has left in a directory although its janitor should have removed them. */
static void say_stale(const char *parent)
{
    DIR *directory = opendir(parent);
    if (directory == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        struct stat about = {0};
        if (strncmp(entry->d_name, ".brink-", strlen(".brink-")) != 0 ||
            fstatat(dirfd(directory), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISDIR(about.st_mode))
            continue;
        char *path OWN(own_mem) = mem_format("%s/%s", parent, entry->d_name);
        char *shown OWN(own_mem) = text_escape(path, SIZE_MAX);
        printf("%-9s %s: of a running brink, or left behind; if none runs: rm -r %s\n", "stale",
               shown, shown);
    }
    closedir(directory);
}

bool verb_doctor(const struct settings *settings, int *status, struct err *err)
{
    unsigned without = 0;
    const char *list = getenv("BRINK_WITHOUT");
    (void)settings;
    if (list != NULL && !without_parse(list, &without, err))
        return err_while(err, "BRINK_WITHOUT");
    say_machine();
    const bool is_enough = say_isolation();
    say_features(without);
    say_memory();
    const char *temporary = getenv("TMPDIR");
    say_stale(temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
    say_stale("..");
    say_stale(".");
    puts(is_enough ? "All that brink needs is there."
                   : "Something that brink needs is missing: see the lines with no.");
    *status = is_enough ? EXIT_HELD : EXIT_FOUND;
    return true;
}
