#include "second_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "folder.h"

enum { LINE_MAX_SIZE = 16 };

static bool name_of(const char *journal, const char *end, char name[PATH_MAX], struct fail *fail)
{
    return snprintf(name, PATH_MAX, "%s.counter%s", journal, end) < PATH_MAX ||
           fail_with(fail, EXIT_CODE_USAGE, "%s: the name is too long", journal);
}

bool second_file_read(const char *journal, int32_t *counter, struct fail *fail)
{
    char name[PATH_MAX];
    char line[LINE_MAX_SIZE] = "";
    if (!name_of(journal, "", name, fail))
        return false;
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno != ENOENT)
        return fail_system(fail, "%s", name);
    if (fd >= 0) {
        const ssize_t size = read(fd, line, sizeof line - 1);
        close(fd);
        if (size < 0)
            return fail_system(fail, "read %s", name);
    }
    *counter = (int32_t)strtol(line, NULL, 10);
    return true;
}

static bool write_synced(const char *name, const char *line, int size, struct fail *fail)
{
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return fail_system(fail, "%s", name);
    const bool is_written = write(fd, line, (size_t)size) == size && fsync(fd) == 0;
    if (!is_written)
        fail_system(fail, "write %s", name);
    close(fd);
    return is_written;
}

bool second_file_write(const char *journal, int32_t counter, struct fail *fail)
{
    char name[PATH_MAX];
    char new_name[PATH_MAX];
    char line[LINE_MAX_SIZE];
    if (!name_of(journal, "", name, fail) || !name_of(journal, ".new", new_name, fail))
        return false;
    const int size = snprintf(line, sizeof line, "%" PRId32 "\n", counter);
    if (!write_synced(new_name, line, size, fail))
        return false;
    if (rename(new_name, name) != 0)
        return fail_system(fail, "rename %s", new_name);
    return folder_sync_around(name, fail);
}
