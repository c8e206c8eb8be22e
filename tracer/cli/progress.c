#include "progress.h"

#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tracer/base/clock.h"

enum {
    BAR_PERIOD_MS = 100,
    LINE_PERIOD_MS = 5000,
    LINE_MAX_BYTES = 256,
    BAR_MAX = 40,
    TEXT_COLUMNS = 72, /* what stands beside the bar */
    MINUTE_S = 60,
    COLUMNS_DEFAULT = 80,
    LEFT_AFTER_MS = 1000, /* before that the time left is a guess */
};

void progress_begin(struct progress *progress, FILE *to, bool is_quiet, uint64_t total)
{
    const int64_t now = clock_now();
    *progress = (struct progress){
        .to = is_quiet ? NULL : to,
        .is_terminal = isatty(fileno(to)) == 1,
        .total = total,
        .begun_ns = now,
        .shown_ns = now,
    };
}

static int terminal_columns(FILE *to)
{
    struct winsize size = {0};
    if (ioctl(fileno(to), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return COLUMNS_DEFAULT;
    return size.ws_col;
}

/* ", 2 m 05 s left", or nothing when that is not known yet. */
static void time_left(const struct progress *progress, int64_t elapsed_ns, char *out, size_t size)
{
    out[0] = '\0';
    if (progress->done == 0 || elapsed_ns < (int64_t)LEFT_AFTER_MS * CLOCK_MS)
        return;
    const double each = clock_seconds(elapsed_ns) / (double)progress->done;
    const uint64_t left = (uint64_t)(each * (double)(progress->total - progress->done) + 0.5);
    if (left < MINUTE_S) {
        snprintf(out, size, ", %" PRIu64 " s left", left);
    } else {
        snprintf(out, size, ", %" PRIu64 " m %02" PRIu64 " s left", left / MINUTE_S,
                 left % MINUTE_S);
    }
}

void progress_line(const struct progress *progress, int64_t elapsed_ns, int columns, char *out,
                   size_t size)
{
    char left[64];
    char bar[BAR_MAX + 4] = "";
    const double seconds = clock_seconds(elapsed_ns);
    const double rate = seconds > 0 ? (double)progress->done / seconds : 0;
    time_left(progress, elapsed_ns, left, sizeof left);
    int width = columns - TEXT_COLUMNS;
    if (width > BAR_MAX)
        width = BAR_MAX;
    if (width > 0 && progress->total > 0) {
        const size_t full = (size_t)((uint64_t)width * progress->done / progress->total);
        bar[0] = '[';
        memset(bar + 1, '.', (size_t)width);
        memset(bar + 1, '#', full);
        bar[width + 1] = ']';
        bar[width + 2] = ' ';
    }
    snprintf(out, size, "%s%" PRIu64 " of %" PRIu64 " states, %.0f a second%s, %" PRIu64 "%s", bar,
             progress->done, progress->total, rate, left, progress->violations,
             progress->violations == 1 ? " violation" : " violations");
}

static void show(struct progress *progress, int64_t now)
{
    char line[LINE_MAX_BYTES];
    const int columns = progress->is_terminal ? terminal_columns(progress->to) : 0;
    progress_line(progress, now - progress->begun_ns, columns, line, sizeof line);
    progress->shown_ns = now;
    if (progress->is_terminal) {
        fprintf(progress->to, "\r%.*s\x1b[K", columns - 1, line);
    } else {
        fprintf(progress->to, "brink: %s\n", line);
    }
    fflush(progress->to);
}

void progress_step(struct progress *progress, bool is_violation)
{
    progress->done++;
    progress->violations += is_violation;
    if (progress->to == NULL)
        return;
    const int period_ms = progress->is_terminal ? BAR_PERIOD_MS : LINE_PERIOD_MS;
    const int64_t now = clock_now();
    if (now - progress->shown_ns >= (int64_t)period_ms * CLOCK_MS)
        show(progress, now);
}

void progress_note(struct progress *progress, const char *text)
{
    if (progress->to == NULL || !progress->is_terminal)
        return;
    fprintf(progress->to, "\r%.*s\x1b[K", terminal_columns(progress->to) - 1, text);
    fflush(progress->to);
}

void progress_end(struct progress *progress)
{
    if (progress->to == NULL || !progress->is_terminal)
        return;
    fputs("\r\x1b[K", progress->to);
    fflush(progress->to);
}
