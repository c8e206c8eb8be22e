#include "settings.h"

#include <stdlib.h>

#include "tracer/base/clock.h"
#include "tracer/base/mem.h"

enum { TIMEOUT_DEFAULT_S = 60, BUDGET_DEFAULT = 5000, VERIFY_DEFAULT = 10 };

void settings_init(struct settings *settings)
{
    *settings = (struct settings){
        .timeout_ns = TIMEOUT_DEFAULT_S * CLOCK_SECOND,
        .budget = BUDGET_DEFAULT,
        .depth = 1,
        .verify = VERIFY_DEFAULT,
        .shards = 1,
    };
    settings->model_wanted[MODEL_KILL] = true;
    settings->model_wanted[MODEL_TORN] = true;
}

void settings_fini(struct settings *settings)
{
    free(settings->exclude.items);
    free(settings->env.items);
    free(settings->rest_words.items);
    *settings = (struct settings){0};
}

void words_add(struct words *words, const char *text)
{
    mem_grow(&words->items, &words->capacity, words->count + 2, sizeof *words->items);
    words->items[words->count++] = text;
    words->items[words->count] = NULL;
}
