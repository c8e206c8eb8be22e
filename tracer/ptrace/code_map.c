#include "code_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/base/attr.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum {
    CODE_PAGE_SHIFT = 12,
    WILD_MAX = 64, /* pages looked up in vain before new code must be announced by a clear */
};

void code_map_fini(struct code_map *map)
{
    free(map->regions);
    map_fini(&map->wild);
    *map = (struct code_map){0};
}

void code_map_clear(struct code_map *map)
{
    map->count = 0;
    map->changes++;
    map_fini(&map->wild);
    map->wild = (struct map){0};
}

static const struct code_region *find_known(const struct code_map *map, uint64_t address)
{
    size_t low = 0;
    size_t high = map->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct code_region *region = &map->regions[middle];
        if (address < region->start) {
            high = middle;
        } else if (address >= region->end) {
            low = middle + 1;
        } else {
            return region;
        }
    }
    return NULL;
}

/* One line of /proc/PID/maps; false when it is neither code nor constant. `path` points into it. */
static bool parse_line(char *line, struct code_region *region, struct module_place *place)
{
    char *at = line;
    region->start = strtoull(at, &at, 16);
    if (*at++ != '-')
        return false;
    region->end = strtoull(at, &at, 16);
    if (strlen(at) < 6)
        return false;
    region->is_code = at[3] == 'x';
    if (!region->is_code && memcmp(at, " r--p", 5) != 0)
        return false;
    region->offset = strtoull(at + 5, &at, 16);
    place->device = strtoull(at, &at, 16) << 32;
    if (*at++ != ':')
        return false;
    place->device |= strtoull(at, &at, 16);
    place->inode = strtoull(at, &at, 10);
    while (*at == ' ')
        at++;
    at[strcspn(at, "\n")] = '\0';
    place->path = at;
    place->start = region->start;
    place->end = region->end;
    return true;
}

static void append_region(struct code_map *map, struct code_region region)
{
    mem_grow(&map->regions, &map->capacity, map->count + 1, sizeof *map->regions);
    map->regions[map->count++] = region;
}

static void add_region(struct code_map *map, struct modules *modules, char *line)
{
    struct code_region region = {.module = MODULE_NONE};
    struct module_place place = {.process = map->process};
    if (!parse_line(line, &region, &place))
        return;
    const bool is_file = place.path[0] == '/' && place.inode != 0;
    uint64_t vaddr = 0;
    if (is_file && region.is_code) {
        region.module = modules_add(modules, &place);
        if (module_vaddr(&modules->items[region.module], region.offset, &vaddr))
            region.bias = region.start - vaddr;
    } else if (is_file && !modules_find(modules, &place, &region.module)) {
        return; /* constant data of no program: it is seen before the code only at the first time */
    }
    if (is_file || region.is_code)
        append_region(map, region);
}

static void read_maps(struct code_map *map, struct modules *modules)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)map->process);
    FILE *maps = fopen(path, "re");
    if (maps == NULL)
        return;
    map->count = 0;
    map->changes++;
    char *line OWN(own_mem) = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, maps) > 0)
        add_region(map, modules, line);
    fclose(maps);
}

bool code_map_word(const struct code_map *map, struct modules *modules, uint64_t address,
                   uint64_t *out)
{
    const struct code_region *region = find_known(map, address);
    return region != NULL && region->module != MODULE_NONE &&
           module_word(&modules->items[region->module], address - region->start + region->offset,
                       out);
}

static const struct code_region *code_at(const struct code_map *map, uint64_t address)
{
    const struct code_region *region = find_known(map, address);
    return region != NULL && region->is_code ? region : NULL;
}

const struct code_region *code_map_find(struct code_map *map, struct modules *modules,
                                        uint64_t address)
{
    const struct code_region *region = code_at(map, address);
    if (region != NULL || map_get(&map->wild, address >> CODE_PAGE_SHIFT, NULL))
        return region;
    read_maps(map, modules);
    region = code_at(map, address);
    if (region == NULL)
        map_put(&map->wild, address >> CODE_PAGE_SHIFT, 1);
    return region;
}
