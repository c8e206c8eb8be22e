#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "sha256.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"

enum { KEPT_MAX = 65536 };

void scene_init(struct scene *scene, const struct plan *plan, const char *dir, int dir_fd)
{
    *scene = (struct scene){.plan = plan, .dir = dir, .dir_fd = dir_fd};
    scene->steps = mem_new(plan->steps_count + 1, sizeof *scene->steps);
    scene->remembered = remembered_new();
    scene->children = json_array();
}

void scene_fini(struct scene *scene)
{
    ended_fini(&scene->worker);
    for (size_t i = 0; scene->steps && i < scene->plan->steps_count; i++)
        ended_fini(&scene->steps[i]);
    free(scene->steps);
    free(scene->lock_order);
    remembered_free(scene->remembered);
    json_decref(scene->children);
    own_fd(&scene->dir_fd);
    *scene = (struct scene){.dir_fd = -1};
}

const struct ended *scene_find(const struct scene *scene, const char *name)
{
    const struct ended *found = NULL;
    if (strcmp(name, "worker") == 0)
        found = &scene->worker;
    for (size_t i = 0; i < scene->plan->steps_count && !found; i++) {
        if (strcmp(scene->plan->steps[i].name, name) == 0)
            found = &scene->steps[i];
    }
    return found && found->is_set ? found : NULL;
}

/* Text as it is when it is short UTF-8, escaped otherwise; its hash is of the bytes. */
static void put_stream(json_t *child, const char *name, const struct ended_text *text)
{
    char digest[SHA256_TEXT];
    struct err ignored = {0};
    const size_t size = text->size < KEPT_MAX ? text->size : KEPT_MAX;
    char *shown OWN(own_mem) = text_escape(text->bytes, size);
    char *key OWN(own_mem) = mem_format("%s_sha256", name);
    json_object_set_new(child, name, json_string(shown));
    if (sha256_bytes(text->bytes, text->size, digest, &ignored))
        json_object_set_new(child, key, json_string(digest));
}

void scene_add_child(struct scene *scene, const char *name, const struct plan_command *command,
                     const struct ended *ended, const char *expected)
{
    json_t *child = json_object();
    json_t *argv = json_array();
    char *end OWN(own_mem) = ended_words(ended);
    for (size_t i = 0; command->argv[i]; i++) {
        char *word OWN(own_mem) = text_escape(command->argv[i], SIZE_MAX);
        json_array_append_new(argv, json_string(word));
    }
    json_object_set_new(child, "name", json_string(name));
    json_object_set_new(child, "argv", argv);
    json_object_set_new(child, "pid", json_integer(ended->pid));
    json_object_set_new(child, "expected", json_string(expected));
    json_object_set_new(child, "end", json_string(end));
    put_stream(child, "stdout", &ended->out);
    put_stream(child, "stderr", &ended->error);
    json_array_append_new(scene->children, child);
}
