/* What a tree answers to those who read it. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tracer/base/check.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tree_inside.h"

struct item *tree_item(const struct tree *tree, uint32_t node)
{
    if (node >= tree->items_capacity || !tree->items[node] || !tree->items[node]->is_known)
        return NULL;
    return tree->items[node];
}

const struct trace *tree_trace(const struct tree *tree)
{
    return tree->trace;
}

const struct tree_node *tree_node(const struct tree *tree, uint32_t node)
{
    const struct item *item = tree_item(tree, node);
    return item ? &item->stat : NULL;
}

int64_t tree_changed_ns(const struct tree *tree, uint32_t node)
{
    const struct item *item = tree_item(tree, node);
    return item ? item->changed_ns : 0;
}

uint32_t tree_lookup(const struct tree *tree, uint32_t dir, uint32_t name)
{
    const struct item *item = tree_item(tree, dir);
    uint64_t node = NODE_NONE;
    if (item && S_ISDIR(item->stat.mode))
        map_get(&item->parts, name, &node);
    return (uint32_t)node;
}

static uint32_t find_text(const struct tree *tree, uint32_t dir, const char *text, size_t size)
{
    const struct item *item = tree_item(tree, dir);
    if (!item || !S_ISDIR(item->stat.mode))
        return NODE_NONE;
    uint64_t name;
    uint64_t node;
    for (size_t at = 0; map_next(&item->parts, &at, &name, &node);) {
        const char *there = trace_string(tree->trace, (uint32_t)name);
        if (strncmp(there, text, size) == 0 && there[size] == '\0')
            return (uint32_t)node;
    }
    return NODE_NONE;
}

uint32_t tree_find(const struct tree *tree, const char *path)
{
    uint32_t node = NODE_ROOT;
    while (*path && node != NODE_NONE) {
        const size_t size = strcspn(path, "/");
        if (size > 0)
            node = find_text(tree, node, path, size);
        path += size;
        path += *path == '/';
    }
    return node;
}

/* Whether the way up from a directory ends at the root; its length in bytes then grows by what the
 * names and slashes before it take. */
static bool measure(const struct tree *tree, struct tree_place place, size_t *size)
{
    *size = strlen(trace_string(tree->trace, place.name));
    while (place.dir != NODE_ROOT) {
        const struct item *dir = tree->items[place.dir];
        if (dir->names_count == 0)
            return false;
        place = dir->names[0];
        *size += 1 + strlen(trace_string(tree->trace, place.name));
    }
    return true;
}

static char *spell(const struct tree *tree, struct tree_place place, size_t size)
{
    char *path = mem_new(size + 1, 1);
    char *end = path + size;
    for (;;) {
        const char *name = trace_string(tree->trace, place.name);
        const size_t length = strlen(name);
        end -= length;
        memcpy(end, name, length); // NOLINT(bugprone-not-null-terminated-result): more follows
        if (end == path)
            return path;
        *--end = '/';
        place = tree->items[place.dir]->names[0];
    }
}

char *tree_path(const struct tree *tree, uint32_t node)
{
    if (node == NODE_ROOT)
        return mem_string("");
    const struct item *item = tree_item(tree, node);
    size_t size;
    for (size_t i = 0; item && i < item->names_count; i++) {
        if (measure(tree, item->names[i], &size))
            return spell(tree, item->names[i], size);
    }
    return NULL;
}

bool tree_is_visible(const struct tree *tree, uint32_t node)
{
    const struct item *item = tree_item(tree, node);
    size_t size;
    bool is_visible = node == NODE_ROOT;
    for (size_t i = 0; item && i < item->names_count && !is_visible; i++)
        is_visible = measure(tree, item->names[i], &size);
    return is_visible;
}

struct named {
    const char *text;
    struct tree_entry entry;
};

static int compare_named(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->text, ((const struct named *)b)->text);
}

size_t tree_entries(const struct tree *tree, uint32_t dir, struct tree_entry **out)
{
    const struct item *item = tree_item(tree, dir);
    const size_t count = item && S_ISDIR(item->stat.mode) ? item->parts.count : 0;
    struct named *sorted OWN(own_mem) = mem_new(count, sizeof *sorted);
    uint64_t name;
    uint64_t node;
    size_t at = 0;
    for (size_t i = 0; i < count && map_next(&item->parts, &at, &name, &node); i++) {
        sorted[i] = (struct named){
            .text = trace_string(tree->trace, (uint32_t)name),
            .entry = {.name = (uint32_t)name, .node = (uint32_t)node},
        };
    }
    qsort(sorted, count, sizeof *sorted, compare_named);
    *out = mem_new(count, sizeof **out);
    for (size_t i = 0; i < count; i++)
        (*out)[i] = sorted[i].entry;
    return count;
}

// NOLINTNEXTLINE(readability-function-size): like pread, and who it is about
bool tree_read(const struct tree *tree, uint32_t node, uint64_t offset, void *to, size_t size,
               size_t *got, struct err *err)
{
    const struct item *item = tree_item(tree, node);
    CHECK(item && S_ISREG(item->stat.mode));
    const uint64_t left = offset < item->stat.size ? item->stat.size - offset : 0;
    const size_t wanted = size < left ? size : (size_t)left;
    for (size_t done = 0; done < wanted;) {
        const uint64_t start = (offset + done) % TREE_BLOCK;
        const size_t room = TREE_BLOCK - start;
        const size_t step = room < wanted - done ? room : wanted - done;
        uint64_t value;
        const bool is_there = map_get(&item->parts, (offset + done) / TREE_BLOCK, &value);
        const struct block *block = is_there ? block_of(value) : NULL;
        const struct piece range = {.start = (uint16_t)start, .size = (uint16_t)step};
        if (!block_read(&tree->maker, block, range, (char *)to + done, err))
            return false;
        done += step;
    }
    *got = wanted;
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

size_t tree_blocks(const struct tree *tree, uint32_t node, uint64_t **out)
{
    const struct item *item = tree_item(tree, node);
    CHECK(item && S_ISREG(item->stat.mode));
    const size_t count = tree_blocks_in(item, 0, UINT64_MAX, out);
    qsort(*out, count, sizeof **out, compare_numbers);
    return count;
}

bool tree_xattr(const struct tree *tree, uint32_t node, size_t index, struct tree_xattr *out)
{
    const struct item *item = tree_item(tree, node);
    if (!item || index >= item->xattrs_count)
        return false;
    *out = item->xattrs[index].xattr;
    return true;
}

struct tree_touched tree_touched(const struct tree *tree)
{
    return touch_look(tree->touch);
}

void tree_touched_clear(struct tree *tree)
{
    touch_clear(tree->touch);
}
