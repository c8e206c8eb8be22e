#include "console.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/trace/verdict.h"

/* In one go no more than this is read: a command that writes without end must not keep us from
 * looking at its time limit. */
enum { DRAIN_ROUNDS = 64, DRAIN_SIZE = 16384 };

bool console_open(struct console *console, struct err *err)
{
    int ends[2];
    *console = (struct console){.read_end = -1, .write_end = -1};
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_system(err, "make a pipe");
    console->read_end = ends[0];
    console->write_end = ends[1];
    if (fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0) {
        err_system(err, "set up a pipe");
        console_close(console);
        return false;
    }
    console->text = mem_new(VERDICT_OUTPUT_MAX, 1);
    return true;
}

void console_close(struct console *console)
{
    own_close_now(&console->read_end);
    own_close_now(&console->write_end);
    free(console->text);
    console->text = NULL;
}

void console_clear(struct console *console)
{
    console_drain(console);
    console->size = 0;
}

void console_prepare(struct console *console)
{
    fcntl(console->write_end, F_SETFL, 0);
}

static ssize_t drain_once(struct console *console)
{
    char dropped[DRAIN_SIZE];
    const size_t room = VERDICT_OUTPUT_MAX - console->size;
    if (room == 0)
        return read(console->read_end, dropped, sizeof dropped);
    const ssize_t got = read(console->read_end, console->text + console->size, room);
    console->size += got > 0 ? (size_t)got : 0;
    return got;
}

void console_drain(struct console *console)
{
    for (int round = 0; round < DRAIN_ROUNDS; round++) {
        if (drain_once(console) <= 0 && errno != EINTR)
            return;
    }
}

void console_say(struct console *console, const char *fmt, ...)
{
    char line[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    const size_t room = VERDICT_OUTPUT_MAX - console->size;
    const size_t size = strlen(line) < room ? strlen(line) : room;
    memcpy(console->text + console->size, line, size);
    console->size += size;
}

char *console_text(const struct console *console)
{
    char *text = mem_new(console->size + 1, 1);
    memcpy(text, console->text, console->size);
    for (size_t i = 0; i < console->size; i++) {
        if (text[i] == '\0')
            text[i] = '?';
    }
    return text;
}
