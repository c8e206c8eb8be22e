#include "nonzero.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

void nonzero_init(struct nonzero *nonzero, const struct tree *tree, uint32_t node, int fd)
{
    *nonzero = (struct nonzero){.fd = fd};
    nonzero->count = tree_blocks(tree, node, &nonzero->blocks);
}

void nonzero_fini(struct nonzero *nonzero)
{
    free(nonzero->blocks);
    nonzero->blocks = NULL;
}

static uint64_t next_in_file(int fd, uint64_t offset)
{
    const off_t data = lseek(fd, (off_t)offset, SEEK_DATA);
    if (data < 0)
        return errno == ENXIO ? UINT64_MAX : offset;
    return (uint64_t)data;
}

uint64_t nonzero_next(struct nonzero *nonzero, uint64_t offset)
{
    while (nonzero->next < nonzero->count &&
           (nonzero->blocks[nonzero->next] + 1) * TREE_BLOCK <= offset)
        nonzero->next++;
    const uint64_t in_node =
        nonzero->next < nonzero->count ? nonzero->blocks[nonzero->next] * TREE_BLOCK : UINT64_MAX;
    if (in_node <= offset)
        return offset;
    const uint64_t in_file = next_in_file(nonzero->fd, offset);
    return in_node < in_file ? in_node : in_file;
}
