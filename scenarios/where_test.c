#include "where.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const char text[] = "{\n"
                           "  \"a\": {\"x\": [1, {\"b\": 2}]},\n"
                           "  \"w\\\"}\": \"]}\",\n"
                           "  \"umlaut\": \"\xc3\xbc\", \"b\": [\n"
                           "    true,\n"
                           "    {\"c\" : null}\n"
                           "  ]\n"
                           "}\n";

struct row {
    const char *label;
    struct where links[3]; /* from the outside in; a link without key and index 0 ends it */
    size_t count;
    const char *shown;
    size_t line, column;
    bool is_there;
};

static const struct row rows[] = {
    {"the document", {{0}}, 0, "", 1, 1, true},
    {"a key", {{.key = "a"}}, 1, "a", 2, 3, true},
    {"below an array", {{.key = "a"}, {.key = "x"}, {.index = 1}}, 3, "a.x[1]", 2, 18, true},
    {"behind brackets in strings", {{.key = "b"}}, 1, "b", 4, 18, true},
    {"an element on its line", {{.key = "b"}, {.index = 1}, {.key = "c"}}, 3, "b[1].c", 6, 6, true},
    {"a missing member", {{.key = "b"}, {.index = 1}, {.key = "d"}}, 3, "b[1].d", 6, 5, false},
    {"a missing element", {{.key = "b"}, {.index = 2}}, 2, "b[2]", 4, 18, false},
    {"a member of no object", {{.key = "umlaut"}, {.key = "b"}}, 2, "umlaut.b", 4, 3, false},
};

Test(where, a_place_is_found_with_its_line_and_column)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct where chain[3];
        struct where_position position;
        const struct where *where = NULL;
        for (size_t k = 0; k < rows[i].count; k++) {
            chain[k] = rows[i].links[k];
            chain[k].up = where;
            where = &chain[k];
        }
        char *shown = where_text(where);
        cr_expect_str_eq(shown, rows[i].shown, "%s", rows[i].label);
        cr_expect_eq(where_find(text, where, &position), rows[i].is_there, "%s", rows[i].label);
        cr_expect_eq(position.line, rows[i].line, "%s: line %zu", rows[i].label, position.line);
        cr_expect_eq(position.column, rows[i].column, "%s: column %zu", rows[i].label,
                     position.column);
        free(shown);
    }
}
