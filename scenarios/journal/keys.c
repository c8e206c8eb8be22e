#include "keys.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct key {
    size_t size;
    char bytes[];
};

static int compare(const void *left, const void *right)
{
    const struct key *a = left;
    const struct key *b = right;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    return memcmp(a->bytes, b->bytes, a->size);
}

enum keys_answer keys_add(struct keys *keys, struct utf_text key)
{
    struct key *added = malloc(sizeof *added + key.size);
    if (!added)
        return KEYS_NO_MEMORY;
    added->size = key.size;
    memcpy(added->bytes, key.bytes, key.size);
    struct key *const *found = tsearch(added, &keys->root, compare);
    if (found && *found == added)
        return KEYS_ADDED;
    free(added);
    return found ? KEYS_KNOWN : KEYS_NO_MEMORY;
}

void keys_fini(struct keys *keys)
{
    tdestroy(keys->root, free);
    keys->root = NULL;
}
