#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

/* The reader's list of allowed keys, as its own error tells it, must be the schema's. */
struct row {
    const char *definition; /* "": the scenario itself */
    const char *scenario;   /* with a key "zzz" in that part */
};

#define REST "\"steps\": [{\"name\": \"a\", \"argv\": [\"true\"], \"exit\": 0}]"
#define CHECK(kind)                                                                                \
    "{\"name\": \"s\", " REST ", \"checks\": [{\"name\": \"c\", \"" kind "\": {\"zzz\": 1}}]}"

static const struct row rows[] = {
    {"", "{\"name\": \"s\", \"zzz\": 1}"},
    {"worker", "{\"name\": \"s\", \"worker\": {\"zzz\": 1}}"},
    {"service", "{\"name\": \"s\", " REST ", \"services\": [{\"zzz\": 1}]}"},
    {"barrier", "{\"name\": \"s\", " REST ", \"barriers\": {\"b\": {\"zzz\": 1}}}"},
    {"step", "{\"name\": \"s\", \"steps\": [{\"zzz\": 1}]}"},
    {"damage", "{\"name\": \"s\", \"steps\": [{\"name\": \"a\", \"damage\": {\"zzz\": 1}}]}"},
    {"check", "{\"name\": \"s\", " REST ", \"checks\": [{\"zzz\": 1}]}"},
    {"check_command", CHECK("command")},
    {"file", CHECK("file")},
    {"process", CHECK("process")},
    {"sql", CHECK("sql")},
    {"jsonl", CHECK("jsonl")},
    {"trace", CHECK("trace")},
    {"explore", "{\"name\": \"s\", \"worker\": {\"argv\": [\"true\"]}, \"explore\": {\"zzz\": 1}}"},
};

static void expect_key(const struct row *row, const char *list, const char *key)
{
    char *found OWN(own_mem) = mem_format(" %s ", list);
    for (char *at = found; *at; at++)
        *at = *at == ',' ? ' ' : *at;
    char *wanted OWN(own_mem) = mem_format(" %s ", key);
    cr_expect_not_null(strstr(found, wanted), "%s: the reader does not know %s", row->definition,
                       key);
}

static size_t count_words(const char *list)
{
    size_t count = 1;
    for (const char *at = strchr(list, ' '); at; at = strchr(at + 1, ' '))
        count += strncmp(at, " and ", 5) != 0;
    return count;
}

static void compare(const struct row *row, json_t *schema)
{
    char path[] = "/tmp/brink-schema-XXXXXX";
    struct suite suite = {0};
    struct err err = {0};
    const int fd = mkstemp(path);
    cr_assert(fd >= 0);
    cr_assert_eq(write(fd, row->scenario, strlen(row->scenario)), (ssize_t)strlen(row->scenario));
    close(fd);
    cr_expect_not(suite_add(&suite, path, &err), "%s", row->definition);
    unlink(path);
    suite_fini(&suite);
    const char *list = strstr(err.text, "unknown key; allowed are ");
    cr_assert_not_null(list, "%s: %s", row->definition, err.text);
    list += strlen("unknown key; allowed are ");
    json_t *part = *row->definition
                       ? json_object_get(json_object_get(schema, "definitions"), row->definition)
                       : schema;
    json_t *properties = json_object_get(part, "properties");
    const char *key;
    json_t *value;
    json_object_foreach(properties, key, value)
    {
        expect_key(row, list, key);
    }
    cr_expect_eq(json_object_size(properties), count_words(list),
                 "%s: the schema has %zu keys, the reader: %s", row->definition,
                 json_object_size(properties), list);
}

Test(schema, the_schema_has_the_keys_of_the_reader_and_no_others)
{
    json_error_t error;
    json_t *schema = json_load_file("scenarios/schema.json", 0, &error);
    cr_assert_not_null(schema, "%s", error.text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        compare(&rows[i], schema);
    json_decref(schema);
}
