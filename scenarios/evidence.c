#include "evidence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "evidence_files.h"
#include "json_file.h"
#include "sha256.h"
#include "tracer/base/folder.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"

enum { GIT_SECONDS = 10 };

bool evidence_is_free(const char *path, struct err *err)
{
    struct stat status;
    if (lstat(path, &status) == 0)
        return err_usage(err, "--evidence %s: exists; evidence goes to a new folder", path);
    return errno == ENOENT || err_usage(err, "--evidence %s: %s", path, strerror(errno));
}

static bool write_json(int dir_fd, const char *name, const json_t *json, mode_t mode,
                       struct err *err)
{
    const int fd OWN(own_fd) = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0 || !json_file_write(fd, json, JSON_INDENT(1)) || write(fd, "\n", 1) != 1)
        return err_system(err, "write %s of the evidence", name);
    return true;
}

/* One line from git about the scenarios' folder; NULL: it says nothing. Caller frees. */
static char *ask_git(const char *folder, const char *const *words)
{
    const char *argv[8] = {"git", "-C", folder};
    for (size_t i = 0; i < 4 && words[i]; i++)
        argv[i + 3] = words[i];
    const struct plan_command command = {.argv = argv, .timeout_ns = GIT_SECONDS * 1000000000LL};
    const struct child_options options = {&command, "git", "/", "/"};
    struct ended ended = {0};
    struct err ignored = {0};
    if (!child_run(&options, &ended, &ignored))
        return NULL;
    char *line =
        ended.status == 0 ? mem_range(ended.out.bytes, strcspn(ended.out.bytes, "\n")) : NULL;
    ended_fini(&ended);
    return line;
}

static json_t *text_or_null(const char *text)
{
    char *clean OWN(own_mem) = text ? text_escape(text, SIZE_MAX) : NULL;
    return clean ? json_string(clean) : json_null();
}

static json_t *versions_of(const struct evidence_options *options)
{
    static const char *const head[] = {"rev-parse", "HEAD", NULL};
    static const char *const changes[] = {"status", "--porcelain", NULL};
    char when[64] = "";
    struct utsname system = {0};
    const time_t now = time(NULL);
    struct tm utc;
    const char *folder = options->suite->sources[0]->folder;
    char *commit OWN(own_mem) = ask_git(folder, head);
    char *dirty OWN(own_mem) = ask_git(folder, changes);
    uname(&system);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    json_t *versions = json_object();
    json_object_set_new(versions, "brink", json_string(options->version));
    json_object_set_new(versions, "commit", text_or_null(commit));
    json_object_set_new(versions, "has_changes", dirty ? json_boolean(*dirty) : json_null());
    json_object_set_new(versions, "system", text_or_null(system.sysname));
    json_object_set_new(versions, "release", text_or_null(system.release));
    json_object_set_new(versions, "machine", text_or_null(system.machine));
    json_object_set_new(versions, "when", json_string(when));
    return versions;
}

/* What was to be done: nothing in it depends on the machine or the day. */
static json_t *protocol_of(const struct evidence_options *options)
{
    json_t *protocol = json_object();
    json_t *cases = json_array();
    json_object_set_new(protocol, "schema", json_string("brink/protocol/1"));
    json_object_set_new(protocol, "cases", cases);
    for (size_t i = 0; i < options->suite->count; i++) {
        const struct suite_case *suite_case = &options->suite->cases[i];
        char *folder OWN(own_mem) = suite_folder(options->suite, suite_case);
        json_t *entry = json_object();
        json_object_set_new(entry, "name", json_string(suite_case->name));
        json_object_set_new(entry, "folder", text_or_null(folder));
        json_object_set_new(entry, "runs", json_integer((json_int_t)suite_case->runs));
        json_object_set(entry, "matrix", suite_case->values);
        json_object_set(entry, "each", suite_case->each);
        json_object_set(entry, "scenario", suite_case->source->root);
        json_array_append_new(cases, entry);
    }
    return protocol;
}

/* Copies of the scenario files, numbered, for their names may be equal; and named so that nobody
 * takes them for scenarios to be run. */
static bool copy_sources(const struct suite *suite, int dir_fd, struct err *err)
{
    if (mkdirat(dir_fd, "sources", 0755) != 0)
        return err_system(err, "make sources of the evidence");
    for (size_t i = 0; i < suite->sources_count; i++) {
        for (size_t k = 0; k < suite->sources[i]->count; k++) {
            const struct source_file *file = &suite->sources[i]->files[k];
            const char *slash = strrchr(file->path, '/');
            char *name OWN(own_mem) = mem_format("sources/%03zu-%02zu-%s.txt", i + 1, k + 1,
                                                 slash ? slash + 1 : file->path);
            const int fd OWN(own_fd) =
                openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
            const size_t size = strlen(file->text);
            if (fd < 0 || write(fd, file->text, size) != (ssize_t)size)
                return err_system(err, "write %s of the evidence", name);
        }
    }
    return true;
}

/* Everything that lies beside the scenarios, each folder once. */
static bool hash_sources(const struct suite *suite, json_t *list, struct err *err)
{
    for (size_t i = 0; i < suite->sources_count; i++) {
        const char *folder = suite->sources[i]->folder;
        bool is_done = false;
        for (size_t k = 0; k < i; k++)
            is_done = is_done || strcmp(suite->sources[k]->folder, folder) == 0;
        if (is_done)
            continue;
        const char *slash = strrchr(folder, '/');
        char *prefix OWN(own_mem) = mem_format("%s/", slash ? slash + 1 : folder);
        const struct evidence_files options = {prefix, true};
        const int fd OWN(own_fd) = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
            return err_system(err, "open %s", folder);
        if (!evidence_files_add(fd, &options, list, err))
            return false;
    }
    return true;
}

static bool write_manifest(const struct suite *suite, int dir_fd, struct err *err)
{
    char digest[SHA256_TEXT];
    const struct evidence_files options = {"", false};
    const int protocol OWN(own_fd) = openat(dir_fd, "protocol.json", O_RDONLY | O_CLOEXEC);
    json_t *manifest = json_object();
    json_t *files = json_array();
    json_t *sources = json_array();
    json_object_set_new(manifest, "schema", json_string("brink/evidence/1"));
    json_object_set_new(manifest, "files", files);
    json_object_set_new(manifest, "sources", sources);
    bool is_done = protocol >= 0 || err_system(err, "open protocol.json");
    is_done = is_done && sha256_file(protocol, digest, err) &&
              evidence_files_add(dir_fd, &options, files, err) && hash_sources(suite, sources, err);
    if (is_done) {
        json_object_set_new(manifest, "protocol_sha256", json_string(digest));
        is_done = write_json(dir_fd, "manifest.json", manifest, 0444, err);
    }
    json_decref(manifest);
    return is_done;
}

static bool fill(const struct evidence_options *options, int dir_fd, struct err *err)
{
    json_t *protocol = protocol_of(options);
    json_t *versions = versions_of(options);
    const bool is_done = folder_copy(options->out_fd, dir_fd, err) &&
                         write_json(dir_fd, "protocol.json", protocol, 0644, err) &&
                         write_json(dir_fd, "versions.json", versions, 0644, err) &&
                         copy_sources(options->suite, dir_fd, err) &&
                         write_manifest(options->suite, dir_fd, err);
    json_decref(protocol);
    json_decref(versions);
    return is_done;
}

bool evidence_write(const struct evidence_options *options, struct err *err)
{
    if (mkdir(options->path, 0755) != 0) {
        err_system(err, "--evidence %s: make this folder", options->path);
        err->kind = ERR_USAGE;
        return false;
    }
    const int fd OWN(own_fd) = open(options->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_system(err, "open %s", options->path);
    return fill(options, fd, err) || err_while(err, "--evidence %s", options->path);
}
