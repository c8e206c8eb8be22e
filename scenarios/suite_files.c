#include "suite_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { DEPTH_MAX = 32 };

void suite_files_fini(struct suite_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->paths[i]);
    free(files->paths);
    *files = (struct suite_files){0};
}

static void add(struct suite_files *files, const char *path)
{
    mem_grow(&files->paths, &files->capacity, files->count + 1, sizeof *files->paths);
    files->paths[files->count++] = mem_string(path);
}

static bool is_scenario(const char *name)
{
    static const char end[] = ".scenario.json";
    const size_t size = strlen(name);
    return size > sizeof end - 1 && strcmp(name + size - (sizeof end - 1), end) == 0;
}

static bool walk(const char *folder, int depth, struct suite_files *out, struct err *err)
{
    DIR *dir = opendir(folder);
    if (!dir) {
        err_system(err, "open the folder %s", folder);
        err->kind = ERR_USAGE;
        return false;
    }
    bool is_done = true;
    const struct dirent *entry;
    while (is_done && (entry = readdir(dir)) != NULL) {
        struct stat status;
        char *path OWN(own_mem) = mem_format("%s/%s", folder, entry->d_name);
        /* Links to folders are not followed: they may lead back. */
        if (entry->d_name[0] == '.' || lstat(path, &status) != 0)
            continue;
        if (S_ISDIR(status.st_mode) && depth < DEPTH_MAX) {
            is_done = walk(path, depth + 1, out, err);
        } else if (!S_ISDIR(status.st_mode) && is_scenario(entry->d_name)) {
            add(out, path);
        }
    }
    closedir(dir);
    return is_done;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool suite_files_find(const char *path, struct suite_files *out, struct err *err)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return err_usage(err, "%s: %s; give a scenario file or a folder", path, strerror(errno));
    if (!S_ISDIR(status.st_mode)) {
        add(out, path);
        return true;
    }
    char *folder OWN(own_mem) = mem_string(path);
    for (size_t size = strlen(folder); size > 1 && folder[size - 1] == '/'; size--)
        folder[size - 1] = '\0';
    if (!walk(folder, 0, out, err))
        return false;
    if (out->count > 0)
        qsort(out->paths, out->count, sizeof *out->paths, compare);
    return out->count > 0 || err_usage(err, "%s: no *.scenario.json in this folder", path);
}
