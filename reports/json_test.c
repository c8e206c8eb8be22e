#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "example_run_test.h"
#include "tracer/base/mem.h"

static json_t *summary_of(const struct run *run)
{
    char *text = example_report(&report_json, run);
    json_error_t error;
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(object, "line %d: %s\n%s", error.line, error.text, text);
    free(text);
    return object;
}

/* The keys of an object in their order, each followed by a space. */
static char *keys_of(json_t *object)
{
    char *list = mem_string("");
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        char *longer = mem_format("%s%s ", list, key);
        free(list);
        list = longer;
    }
    return list;
}

static void expect_keys(json_t *object, const char *expected)
{
    char *keys = keys_of(object);
    cr_expect_str_eq(keys, expected);
    free(keys);
}

static const char *string(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "(no string)";
}

static long long integer(json_t *object, const char *key)
{
    cr_assert(json_is_integer(json_object_get(object, key)), "%s", key);
    return json_integer_value(json_object_get(object, key));
}

Test(json, the_summary_has_the_keys_of_version_1_in_their_order_and_new_ones_behind)
{
    struct run *run = example_run();
    json_t *object = summary_of(run);
    expect_keys(object, "schema version worker result recorded models checked verified_by_kill "
                        "canary seconds notes findings complete recover check depth ");
    expect_keys(json_object_get(object, "recorded"),
                "processes ops syncs bytes seconds complete source wait_status ");
    expect_keys(json_object_get(object, "models"), "torn ");
    expect_keys(json_object_get(json_object_get(object, "models"), "torn"),
                "legal tried distinct violated crashed hung flaky ");
    expect_keys(json_object_get(object, "verified_by_kill"),
                "seed tried equal same_shape unstable skipped ");
    expect_keys(json_array_get(json_object_get(object, "findings"), 0),
                "id key weakest profiles states op call path where missing sentence replay cause "
                "why output depth ");
    json_decref(object);
    example_run_free(run);
}

Test(json, the_summary_counts_what_the_worker_did_and_not_the_initial_ops)
{
    struct run *run = example_run();
    json_t *object = summary_of(run);
    json_t *recorded = json_object_get(object, "recorded");
    cr_expect_str_eq(string(object, "schema"), "brink/summary/1");
    cr_expect_str_eq(string(object, "result"), "violated");
    cr_expect_eq(integer(recorded, "ops"), 4);
    cr_expect_eq(integer(recorded, "syncs"), 1);
    cr_expect_eq(integer(recorded, "bytes"), 111);
    cr_expect_eq(integer(json_object_get(recorded, "source"), "tracer"), 4);
    cr_expect_eq(json_array_size(json_object_get(object, "notes")), 2);
    json_t *finding = json_array_get(json_object_get(object, "findings"), 0);
    cr_expect_eq(integer(finding, "op"), 1, "the worker's first op has number 1");
    cr_expect_str_eq(string(finding, "replay"), "brink replay 7f3a91c2d4");
    cr_expect_str_eq(string(finding, "path"), "d\n<b>");
    json_decref(object);
    example_run_free(run);
}

Test(json, bytes_that_are_no_utf8_are_escaped_and_newlines_stay)
{
    struct run *run = example_run();
    json_t *object = summary_of(run);
    json_t *worker = json_object_get(object, "worker");
    cr_expect_str_eq(json_string_value(json_array_get(worker, 1)), "a b\\xff");
    json_t *finding = json_array_get(json_object_get(object, "findings"), 0);
    cr_expect_str_eq(string(finding, "output"),
                     "line 1\n\x1b[31m\\xff\x01]]>&\nline 3\n4\n5\n6\nline 7\n");
    json_decref(object);
    example_run_free(run);
}

Test(json, seconds_are_written_as_people_would)
{
    struct run *run = example_run();
    char *text = example_report(&report_json, run);
    cr_expect_not_null(strstr(text, "\"seconds\": 0.31,"), "%s", text);
    free(text);
    example_run_free(run);
}

Test(json, what_is_not_known_is_null_and_a_bound_is_marked)
{
    struct run *run = example_run();
    free(run->findings[0].where);
    run->findings[0].where = NULL;
    run->models[MODEL_TORN].legal_is_bound = true;
    json_t *object = summary_of(run);
    json_t *finding = json_array_get(json_object_get(object, "findings"), 0);
    cr_expect(json_is_null(json_object_get(finding, "where")));
    json_t *torn = json_object_get(json_object_get(object, "models"), "torn");
    cr_expect(json_is_true(json_object_get(torn, "legal_is_bound")));
    json_decref(object);
    example_run_free(run);
}

Test(json, crashes_of_the_recovery_stand_beside_those_of_the_worker)
{
    struct run *run = example_run();
    struct run second = {.trace = run->trace, .checked = 4, .complete = true};
    second.model_wanted[MODEL_TORN] = true;
    second.models[MODEL_TORN] = (struct model_counts){.legal = 9, .tried = 7, .known = 3};
    run->second = &second;
    run->findings[0].depth = 2;
    snprintf(run->findings[0].first, sizeof run->findings[0].first, "0011223344556677");
    json_t *object = summary_of(run);
    cr_expect_eq(integer(object, "depth"), 2);
    cr_expect_eq(integer(object, "checked"), 3 + 4);
    cr_expect_eq(integer(object, "recoveries"), 0);
    json_t *torn = json_object_get(json_object_get(object, "models2"), "torn");
    expect_keys(torn, "legal tried distinct violated crashed hung flaky known ");
    cr_expect_eq(integer(torn, "known"), 3);
    json_t *finding = json_array_get(json_object_get(object, "findings"), 0);
    cr_expect_str_eq(string(finding, "first"), "0011223344556677");
    cr_expect_eq(integer(finding, "op"), run->findings[0].op + 1, "counted in the recovery");
    json_decref(object);
    run->second = NULL;
    example_run_free(run);
}
