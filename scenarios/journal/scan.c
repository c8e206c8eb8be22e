#include "scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "keys.h"

/* Several frames for each read, and always room for a whole one. */
enum { WINDOW_SIZE = 4 * FRAME_SIZE_MAX };

/* The part of the file that is in memory. */
struct window {
    int fd;
    uint64_t offset; /* in the file, of the first byte that is still wanted */
    size_t start;    /* of that byte in bytes[] */
    size_t end;
    bool is_at_end; /* the file has nothing behind bytes[end - 1] */
    uint8_t bytes[WINDOW_SIZE];
};

/* All that a scan works with; on the heap, because it is large. */
struct scanner {
    struct window window;
    struct frame frame;
    struct keys keys;
};

/* Reads on until a whole frame is there, or all that the file has. */
static bool window_fill(struct window *window, struct fail *fail)
{
    if (window->end - window->start >= FRAME_SIZE_MAX || window->is_at_end)
        return true;
    memmove(window->bytes, window->bytes + window->start, window->end - window->start);
    window->end -= window->start;
    window->start = 0;
    while (window->end < FRAME_SIZE_MAX && !window->is_at_end) {
        const ssize_t got =
            pread(window->fd, window->bytes + window->end, sizeof window->bytes - window->end,
                  (off_t)(window->offset + window->end));
        if (got < 0 && errno != EINTR)
            return fail_system(fail, "read it");
        window->is_at_end = got == 0;
        window->end += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* What the frame alone cannot tell. */
static bool check_order(struct scanner *scanner, int32_t count, enum frame_state *state,
                        struct fail *fail)
{
    switch (keys_add(&scanner->keys, scanner->frame.key)) {
    case KEYS_NO_MEMORY:
        return fail_with(fail, EXIT_CODE_SYSTEM, "too little memory for its keys");
    case KEYS_KNOWN:
        *state = FRAME_DUPLICATE_KEY;
        return true;
    case KEYS_ADDED:
        break;
    }
    if (count == INT32_MAX || scanner->frame.result != count + 1)
        *state = FRAME_BAD_SEQUENCE;
    return true;
}

static bool scan_frames(struct scanner *scanner, const struct scan_visitor *visitor,
                        struct scan *scan, struct fail *fail)
{
    struct window *window = &scanner->window;
    for (;;) {
        if (!window_fill(window, fail))
            return false;
        const size_t left = window->end - window->start;
        if (left == 0)
            return true;
        scan->state = frame_decode(window->bytes + window->start, left, &scanner->frame);
        if (scan->state == FRAME_VALID && !check_order(scanner, scan->count, &scan->state, fail))
            return false;
        if (scan->state != FRAME_VALID)
            return true;
        if (visitor && !visitor->see(visitor->context, &scanner->frame, window->offset, fail))
            return false;
        scan->count++;
        window->start += scanner->frame.size;
        window->offset += scanner->frame.size;
    }
}

bool scan_run(int fd, const struct scan_visitor *visitor, struct scan *scan, struct fail *fail)
{
    struct scanner *scanner = malloc(sizeof *scanner);
    if (!scanner)
        return fail_with(fail, EXIT_CODE_SYSTEM, "too little memory to read it");
    scanner->keys = (struct keys){0};
    scanner->window.fd = fd;
    scanner->window.offset = 0;
    scanner->window.start = 0;
    scanner->window.end = 0;
    scanner->window.is_at_end = false;
    struct scan found = {.state = FRAME_VALID};
    const bool is_read = scan_frames(scanner, visitor, &found, fail);
    found.valid_size = scanner->window.offset;
    found.file_size = found.valid_size + (scanner->window.end - scanner->window.start);
    if (is_read)
        *scan = found;
    keys_fini(&scanner->keys);
    free(scanner);
    return is_read;
}
