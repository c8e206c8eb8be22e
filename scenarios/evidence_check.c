#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evidence.h"
#include "evidence_files.h"
#include "json_file.h"
#include "sha256.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* NULL when there is no such file, or no JSON in it. */
static json_t *read_json(int dir_fd, const char *name)
{
    const int fd OWN(own_fd) = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
    return fd >= 0 ? json_file_read(fd) : NULL;
}

static bool is_manifest(const json_t *entry)
{
    return strcmp(text_of(entry, "path"), "manifest.json") == 0;
}

/* Both lists are sorted in the same way, so they are walked side by side. */
static char *compare_files(const json_t *listed, const json_t *found)
{
    size_t at = 0;
    for (size_t i = 0; i < json_array_size(found); i++) {
        const json_t *file = json_array_get(found, i);
        if (is_manifest(file))
            continue;
        const json_t *entry = json_array_get(listed, at++);
        if (!entry)
            return mem_format("%s: not in the manifest", text_of(file, "path"));
        const int order = strcmp(text_of(entry, "path"), text_of(file, "path"));
        if (order != 0 && json_array_size(listed) < json_array_size(found) - 1)
            return mem_format("%s: not in the manifest", text_of(file, "path"));
        if (order != 0)
            return mem_format("%s: is missing", text_of(entry, "path"));
        if (strcmp(text_of(entry, "sha256"), text_of(file, "sha256")) != 0)
            return mem_format("%s: other bytes than the manifest says", text_of(file, "path"));
    }
    if (at < json_array_size(listed))
        return mem_format("%s: is missing", text_of(json_array_get(listed, at), "path"));
    return NULL;
}

/* The summary must say what the assertions say. */
static char *judge_case(int dir_fd, const json_t *protocol, const json_t *summary)
{
    char *path OWN(own_mem) = mem_format("cases/%s/case.json", text_of(protocol, "folder"));
    struct case_result result = {0};
    json_t *report = read_json(dir_fd, path);
    if (!report)
        return mem_format("%s: cannot be read", path);
    case_result_judge(&result, report);
    const bool is_same =
        strcmp(text_of(protocol, "name"), text_of(summary, "name")) == 0 &&
        strcmp(case_verdict_name(result.verdict), text_of(summary, "result")) == 0 &&
        json_integer_value(json_object_get(summary, "assertions")) == (json_int_t)result.assertions;
    char *mismatch = is_same
                         ? NULL
                         : mem_format("%s: its %zu assertions say %s, the summary says %s of %s",
                                      path, result.assertions, case_verdict_name(result.verdict),
                                      text_of(summary, "result"), text_of(summary, "name"));
    case_result_fini(&result);
    return mismatch;
}

static char *judge_cases(int dir_fd, const json_t *protocol, const json_t *summary)
{
    const json_t *planned = json_object_get(protocol, "cases");
    const json_t *shown = json_object_get(summary, "cases");
    if (json_array_size(planned) == 0 || json_array_size(planned) != json_array_size(shown))
        return mem_string("summary.json: other cases than protocol.json");
    for (size_t i = 0; i < json_array_size(planned); i++) {
        char *mismatch = judge_case(dir_fd, json_array_get(planned, i), json_array_get(shown, i));
        if (mismatch)
            return mismatch;
    }
    return NULL;
}

static char *judge(int dir_fd, const json_t *manifest)
{
    char digest[SHA256_TEXT] = "";
    struct err ignored = {0};
    const int fd OWN(own_fd) = openat(dir_fd, "protocol.json", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || !sha256_file(fd, digest, &ignored) ||
        strcmp(digest, text_of(manifest, "protocol_sha256")) != 0)
        return mem_string("protocol.json: other bytes than the manifest says");
    json_t *protocol = read_json(dir_fd, "protocol.json");
    json_t *summary = read_json(dir_fd, "summary.json");
    char *mismatch = judge_cases(dir_fd, protocol, summary);
    json_decref(protocol);
    json_decref(summary);
    return mismatch;
}

static bool check(int dir_fd, const char *path, char **mismatch, struct err *err)
{
    const struct evidence_files options = {"", false};
    json_t *manifest = read_json(dir_fd, "manifest.json");
    if (strcmp(text_of(manifest, "schema"), "brink/evidence/1") != 0) {
        json_decref(manifest);
        return err_usage(err, "%s: holds no manifest.json of brink run --evidence", path);
    }
    json_t *found = json_array();
    const bool is_done = evidence_files_add(dir_fd, &options, found, err);
    if (is_done)
        *mismatch = compare_files(json_object_get(manifest, "files"), found);
    if (is_done && !*mismatch)
        *mismatch = judge(dir_fd, manifest);
    json_decref(found);
    json_decref(manifest);
    return is_done;
}

bool evidence_check(const char *path, char **mismatch, struct err *err)
{
    const int fd OWN(own_fd) = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *mismatch = NULL;
    if (fd < 0) {
        err_system(err, "open the archive %s", path);
        err->kind = ERR_USAGE;
        return false;
    }
    return check(fd, path, mismatch, err);
}
