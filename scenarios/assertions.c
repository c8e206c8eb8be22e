#include "assertions.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/base/attr.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"

enum { SHOWN_MAX = 2000 };

void assertions_init(struct assertions *assertions)
{
    *assertions = (struct assertions){.list = json_array(), .run = 1, .label = ""};
}

void assertions_fini(struct assertions *assertions)
{
    json_decref(assertions->list);
    assertions->list = NULL;
}

static json_t *shown(const char *text)
{
    const size_t size = strlen(text);
    char *clean OWN(own_mem) = text_escape(text, size < SHOWN_MAX ? size : SHOWN_MAX);
    char *marked OWN(own_mem) = mem_format("%s%s", clean, size < SHOWN_MAX ? "" : "...");
    return json_string(marked);
}

void assertions_add(struct assertions *assertions, const struct assertion *assertion, bool held)
{
    const char *aspect = assertion->aspect;
    char *name OWN(own_mem) =
        mem_format("%s%s%s", assertion->name, aspect ? ": " : "", aspect ? aspect : "");
    json_t *entry = json_object();
    json_object_set_new(entry, "name", json_string(name));
    json_object_set_new(entry, "run", json_integer((json_int_t)assertions->run));
    if (*assertions->label)
        json_object_set_new(entry, "label", json_string(assertions->label));
    json_object_set_new(entry, "held", json_boolean(held));
    json_object_set_new(entry, "expected", shown(assertion->expected));
    json_object_set_new(entry, "observed", shown(assertion->observed));
    json_array_append_new(assertions->list, entry);
    assertions->failed += !held;
}

void assertions_compare(struct assertions *assertions, const struct assertion *assertion)
{
    assertions_add(assertions, assertion, strcmp(assertion->expected, assertion->observed) == 0);
}
