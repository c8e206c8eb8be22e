/* scan.h - reads a journal from its first byte to its last, and says how far it can be trusted.
 *
 * The scan changes nothing. It stops at the first place that is no valid record: a journal whose
 * beginning is damaged has no trustworthy end. Memory grows with the number of keys only. */
#ifndef JOURNAL_SCAN_H
#define JOURNAL_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "fail.h"
#include "frame.h"

struct scan {
    enum frame_state state; /* of what stands at valid_size; FRAME_VALID: nothing does */
    uint64_t valid_size;    /* the end of the last valid record */
    uint64_t file_size;     /* set when state is FRAME_VALID or FRAME_TORN */
    int32_t count;          /* of valid records; also the last result */
};

/* Is shown each valid record with the place where it begins. False stops the scan and makes it
 * fail; *fail is filled then. */
struct scan_visitor {
    bool (*see)(void *context, const struct frame *frame, uint64_t offset, struct fail *fail);
    void *context;
};

/* False when the file cannot be read, not when it is damaged. The visitor may be NULL. */
bool scan_run(int fd, const struct scan_visitor *visitor, struct scan *scan, struct fail *fail);

#endif
