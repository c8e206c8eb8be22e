/* model_torn.h - a write stops part-way.
 *
 * A write of n bytes to a file of the workspace has n - 1 variants: its first 1 to n - 1 bytes are
 * in the file, nothing after them. A vector write is one stream. The variant's number is that
 * length.
 *
 * Stores through a shared mapping between two calls have no order among their pages and no call
 * that carries them. Their variants: each dirty page alone, each left out, and for each page its
 * first or last sectors (512 bytes) with no other page. STORE_VARIANT packs which.
 *
 * What the kernel moves as one unit does not tear: reflinks, and files that are renamed in from
 * outside. */
#ifndef STATES_MODEL_TORN_H
#define STATES_MODEL_TORN_H

#include "model.h"

extern const struct model model_torn;

enum { SECTOR_SIZE = 512, PAGE_BYTES = 4096 };

/* Whether a strict prefix of this length ends at a page edge of the file: the only place where
 * Linux lets a kill tear a write (measured over 12,000 kills). */
bool model_torn_is_page_edge(const struct op *op, uint64_t bytes);

#endif
