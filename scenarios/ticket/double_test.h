/* double_test.h - an event log in memory for tests: it polls empty where it is told to, stops where
 * it is told to, and becomes another one in the middle of a read. */
#ifndef TICKET_DOUBLE_TEST_H
#define TICKET_DOUBLE_TEST_H

#include <stdio.h>

#include "log.h"

enum { DOUBLE_RECORDS = 6, DOUBLE_NEVER = 1000 };

struct log_double {
    uint64_t first;
    uint64_t end;
    uint64_t end_later;   /* what the second question for the bounds gets */
    unsigned empty_at;    /* bit n: before position n there are empty polls */
    unsigned gap_at;      /* bit n: position n carries no record */
    uint64_t stops_at;    /* the position never gets behind this one */
    int metadata_changes; /* after so many questions for it; 0: never */
    int questions;
    int bounds_questions;
    unsigned polled; /* bit n: the empty polls before n are over */
    char text[16];
};

static bool double_open(void *self, struct fail *fail)
{
    (void)self;
    (void)fail;
    return true;
}

static bool double_metadata(void *self, struct log_metadata *metadata, struct fail *fail)
{
    struct log_double *log = self;
    (void)fail;
    log->questions++;
    const bool is_other = log->metadata_changes > 0 && log->questions > log->metadata_changes;
    snprintf(metadata->text, sizeof metadata->text, "%s", is_other ? "another" : "the log");
    return true;
}

static bool double_bounds(void *self, struct log_bounds *bounds, struct fail *fail)
{
    struct log_double *log = self;
    (void)fail;
    *bounds =
        (struct log_bounds){log->first, log->bounds_questions++ > 0 ? log->end_later : log->end};
    return true;
}

static bool double_poll(void *self, uint64_t position, struct log_poll *poll, struct fail *fail)
{
    struct log_double *log = self;
    const unsigned bit = 1U << position;
    (void)fail;
    *poll = (struct log_poll){.next = position};
    if (position >= log->stops_at)
        return true;
    if ((log->empty_at & ~log->polled & bit) != 0) {
        log->polled |= bit;
        return true;
    }
    poll->next = position + 1;
    poll->has_record = (log->gap_at & bit) == 0;
    snprintf(log->text, sizeof log->text, "record %d", (int)position);
    poll->text = log->text;
    poll->size = sizeof "record 0" - 1;
    return true;
}

static void double_close(void *self)
{
    (void)self;
}

static const struct log_backend double_backend = {.open = double_open,
                                                  .metadata = double_metadata,
                                                  .bounds = double_bounds,
                                                  .poll = double_poll,
                                                  .close = double_close};

#endif
