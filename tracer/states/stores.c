#include "stores.h"

#include <stdlib.h>

#include "model_torn.h"
#include "tracer/base/check.h"
#include "tracer/base/mem.h"

/* What is in the file of a group of stores. The variant's number packs it, kind first, so that
 * growing numbers go through the pages alone, then the pages left out, then the sectors. */
enum store_kind { STORE_ALONE = 1, STORE_LEFT_OUT, STORE_FIRST_SECTORS, STORE_LAST_SECTORS };

struct store_variant {
    enum store_kind kind;
    uint32_t page; /* index in the group */
    uint32_t sectors;
};

static uint64_t pack(struct store_variant variant)
{
    return (uint64_t)variant.kind << 60 | (uint64_t)variant.page << 8 | variant.sectors;
}

static struct store_variant unpack(uint64_t number)
{
    return (struct store_variant){.kind = (enum store_kind)(number >> 60),
                                  .page = (uint32_t)(number >> 8),
                                  .sectors = (uint32_t)(number & 0xff)};
}

/* The number of pages of the group that begins at k; 0 when none begins there. */
static uint32_t group_size(const struct trace *trace, uint32_t k)
{
    if (k < trace->initial || k >= trace->count || trace->ops[k].kind != OP_STORE)
        return 0;
    if (k > trace->initial && trace->ops[k - 1].kind == OP_STORE &&
        (trace->ops[k - 1].flags & OP_MORE))
        return 0;
    uint32_t size = 1;
    while (trace->ops[k + size - 1].flags & OP_MORE)
        size++;
    return size;
}

/* In how many places a page can tear: between its sectors. */
static uint32_t tears_of(const struct op *op)
{
    return op->payload_size ? (uint32_t)((op->payload_size - 1) / SECTOR_SIZE) : 0;
}

/* A single page alone is the whole group, and leaving out one of two is the other alone. */
static uint64_t alone_count(uint32_t pages)
{
    return pages > 1 ? pages : 0;
}

static uint64_t left_out_count(uint32_t pages)
{
    return pages > 2 ? pages : 0;
}

uint64_t stores_count(const struct trace *trace, uint32_t k)
{
    const uint32_t pages = group_size(trace, k);
    uint64_t tears = 0;
    for (uint32_t i = 0; i < pages; i++)
        tears += tears_of(&trace->ops[k + i]);
    return alone_count(pages) + left_out_count(pages) + 2 * tears;
}

struct picked {
    uint64_t *out;
    uint64_t seen;  /* variants gone by */
    uint64_t total; /* variants there are */
    size_t count, max;
};

/* Keeps max of total items, spread evenly: item i is kept when its share rounds up. */
static void offer(struct picked *picked, struct store_variant variant)
{
    const uint64_t i = picked->seen++;
    const bool is_kept = picked->total <= picked->max ||
                         (i + 1) * picked->max / picked->total > i * picked->max / picked->total;
    if (is_kept && picked->count < picked->max)
        picked->out[picked->count++] = pack(variant);
}

static void offer_pages(struct picked *picked, enum store_kind kind, uint64_t count)
{
    for (uint32_t page = 0; page < count; page++)
        offer(picked, (struct store_variant){.kind = kind, .page = page});
}

static void offer_tears(struct picked *picked, const struct trace *trace, uint32_t k,
                        enum store_kind kind)
{
    const uint32_t pages = group_size(trace, k);
    for (uint32_t page = 0; page < pages; page++) {
        for (uint32_t i = 1; i <= tears_of(&trace->ops[k + page]); i++)
            offer(picked, (struct store_variant){.kind = kind, .page = page, .sectors = i});
    }
}

size_t stores_pick(const struct trace *trace, uint32_t k, size_t max,
                   uint64_t *out) // NOLINT(readability-non-const-parameter): written through picked
{
    const uint32_t pages = group_size(trace, k);
    struct picked picked = {.out = out, .max = max, .total = stores_count(trace, k)};
    offer_pages(&picked, STORE_ALONE, alone_count(pages));
    offer_pages(&picked, STORE_LEFT_OUT, left_out_count(pages));
    offer_tears(&picked, trace, k, STORE_FIRST_SECTORS);
    offer_tears(&picked, trace, k, STORE_LAST_SECTORS);
    return picked.count;
}

unsigned stores_rank(uint64_t variant)
{
    const enum store_kind kind = unpack(variant).kind;
    return kind == STORE_ALONE || kind == STORE_LEFT_OUT ? 1 : 2;
}

static bool apply_sectors(struct tree *tree, const struct op *op, struct store_variant variant,
                          struct err *err)
{
    const uint64_t sectors = (op->payload_size + SECTOR_SIZE - 1) / SECTOR_SIZE;
    if (variant.kind == STORE_FIRST_SECTORS)
        return tree_apply_part(tree, op, 0, (uint64_t)variant.sectors * SECTOR_SIZE, err);
    const uint64_t skip = (sectors - variant.sectors) * SECTOR_SIZE;
    return tree_apply_part(tree, op, skip, op->payload_size - skip, err);
}

bool stores_apply(struct tree *tree, const struct trace *trace, uint32_t k, uint64_t number,
                  struct err *err)
{
    const struct store_variant variant = unpack(number);
    const uint32_t pages = group_size(trace, k);
    CHECK(variant.page < pages);
    if (variant.kind == STORE_ALONE)
        return tree_apply(tree, &trace->ops[k + variant.page], err);
    if (variant.kind != STORE_LEFT_OUT)
        return apply_sectors(tree, &trace->ops[k + variant.page], variant, err);
    for (uint32_t page = 0; page < pages; page++) {
        if (page != variant.page && !tree_apply(tree, &trace->ops[k + page], err))
            return false;
    }
    return true;
}

char *stores_describe(const struct trace *trace, uint32_t k, uint64_t number)
{
    const struct store_variant variant = unpack(number);
    const struct op *op = &trace->ops[k + variant.page];
    const unsigned long long offset = op->offset;
    char *what = trace_sentence(trace, op);
    char *text = NULL;
    const uint32_t shown = k + variant.page - trace->initial + 1;
    switch (variant.kind) {
    case STORE_ALONE:
        text = mem_format("only the page at %llu of the stores at op %u: %s", offset, shown, what);
        break;
    case STORE_LEFT_OUT:
        text =
            mem_format("all but the page at %llu of the stores at op %u: %s", offset, shown, what);
        break;
    case STORE_FIRST_SECTORS:
    case STORE_LAST_SECTORS:
        text = mem_format("only the %s %u sectors of the page at %llu, op %u: %s",
                          variant.kind == STORE_FIRST_SECTORS ? "first" : "last", variant.sectors,
                          offset, shown, what);
        break;
    }
    free(what);
    CHECK(text);
    return text;
}
