#include "neutral.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(neutral, paths_become_words_wherever_they_stand_and_longer_names_stay)
{
    static const struct neutral_place places[] = {
        {"/tmp/case/work", "${dir}"}, {"/tmp/case", "${case}"}, {"/", "${root}"}, {NULL, NULL}};
    json_t *json = json_pack("{s:[s,s,s,{s:s}],s:i}", "a", "/tmp/case/work/f and '/tmp/case/work'",
                             "/tmp/case-2/work /tmp/case", "none", "/tmp/case",
                             "/tmp/case/x:/tmp/case", "n", 3);
    neutral_make(json, places);
    char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
    cr_expect_str_eq(text,
                     "{\"a\":[\"${dir}/f and '${dir}'\",\"/tmp/case-2/work ${case}\",\"none\","
                     "{\"/tmp/case\":\"${case}/x:${case}\"}],\"n\":3}");
    free(text);
    json_decref(json);
}
