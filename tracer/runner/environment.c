#include "environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracer/base/check.h"
#include "tracer/base/mem.h"

static bool has_name(const char *item, const char *name, size_t size)
{
    return strncmp(item, name, size) == 0 && item[size] == '=';
}

/* Takes item over; replaces the one with the same name. */
static void put_item(struct environment *environment, char *item)
{
    const size_t size = strcspn(item, "=");
    for (size_t i = 0; i < environment->count; i++) {
        if (!has_name(environment->items[i], item, size))
            continue;
        free(environment->items[i]);
        environment->items[i] = item;
        return;
    }
    mem_grow(&environment->items, &environment->capacity, environment->count + 2,
             sizeof *environment->items);
    environment->items[environment->count++] = item;
    environment->items[environment->count] = NULL;
}

/* The two variables that change stand last, in the struct itself. */
static void put_changing(struct environment *environment)
{
    mem_grow(&environment->items, &environment->capacity, environment->count + 3,
             sizeof *environment->items);
    environment->items[environment->count] = environment->state;
    environment->items[environment->count + 1] = environment->model;
    environment->items[environment->count + 2] = NULL;
}

static bool is_changing(const char *item)
{
    return has_name(item, "BRINK_STATE", strlen("BRINK_STATE")) ||
           has_name(item, "BRINK_MODEL", strlen("BRINK_MODEL"));
}

void environment_init(struct environment *environment, const char *const *additions)
{
    *environment = (struct environment){.state = "BRINK_STATE=", .model = "BRINK_MODEL="};
    for (char **item = environ; item && *item; item++) {
        if (!is_changing(*item))
            put_item(environment, mem_string(*item));
    }
    for (const char *const *item = additions; item && *item; item++) {
        CHECK(strchr(*item, '='));
        if (!is_changing(*item))
            put_item(environment, mem_string(*item));
    }
    put_changing(environment);
}

void environment_fini(struct environment *environment)
{
    for (size_t i = 0; i < environment->count; i++)
        free(environment->items[i]);
    free(environment->items);
    *environment = (struct environment){0};
}

void environment_put(struct environment *environment, const char *name, const char *value)
{
    put_item(environment, mem_format("%s=%s", name, value));
    put_changing(environment);
}

void environment_set_state(struct environment *environment, const struct state *state)
{
    snprintf(environment->state, sizeof environment->state, "BRINK_STATE=%s", state->id);
    snprintf(environment->model, sizeof environment->model, "BRINK_MODEL=%s",
             model_name(state->model));
}
