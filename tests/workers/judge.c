/* judge - recoveries and checks for the workers of this folder. Not one of them.
 *
 * A document is "version N", a hundred lines of filling that repeat N, and "end N". A log is lines
 * "record N SUM" with N = 1, 2, 3 and so on. What the worker promised stands on its standard
 * output as lines "saved N". */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINES = 100, HEADER_AT = 0, BODY_AT = 8192, MAPPED_SIZE = 16384 };

static void wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    exit(1);
}

static char *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        wrong("%s: %s", path, strerror(errno));
    }
    char *text = calloc(1, 1 << 20);
    *size = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    return text;
}

/* The last N of the lines "saved N" that had left the worker before the crash. */
static long promised(void)
{
    const char *path = getenv("BRINK_ACKED");
    if (!path) {
        return 0;
    }
    size_t size;
    char *text = slurp(path, &size);
    long last = 0;
    for (char *at = strstr(text, "saved "); at; at = strstr(at + 1, "saved ")) {
        char *newline = strchr(at, '\n');
        if (newline) {
            last = strtol(at + strlen("saved "), NULL, 10);
        }
    }
    free(text);
    return last;
}

static long document_version(const char *path)
{
    size_t size;
    char *text = slurp(path, &size);
    long version;
    if (sscanf(text, "version %ld\n", &version) != 1) {
        wrong("%s: no version in its %zu bytes", path, size);
    }
    char *expected = calloc(1, 1 << 16);
    int length = sprintf(expected, "version %ld\n", version);
    for (int line = 0; line < LINES; line++) {
        length += sprintf(expected + length, "line %d of version %ld\n", line, version);
    }
    length += sprintf(expected + length, "end %ld\n", version);
    if (size != (size_t)length || memcmp(text, expected, size) != 0) {
        wrong("%s: is not a whole version %ld", path, version);
    }
    free(expected);
    free(text);
    return version;
}

static void judge_document(const char *path)
{
    long version = document_version(path);
    if (version < promised()) {
        wrong("%s: version %ld, but %ld was promised", path, version, promised());
    }
}

static void judge_pair(const char *one, const char *other)
{
    long version = document_version(one);
    if (document_version(other) != version) {
        wrong("%s and %s are of different versions", one, other);
    }
}

static long record_sum(long number)
{
    return (number * 2654435761L) % 1000003;
}

/* The number of whole records at the start of the log, and where they end. */
static long log_records(const char *path, size_t *size, size_t *end)
{
    char *text = slurp(path, size);
    long count = 0;
    *end = 0;
    for (char *newline = strchr(text, '\n'); newline; newline = strchr(text + *end, '\n')) {
        char expected[64];
        int length = sprintf(expected, "record %ld %ld\n", count + 1, record_sum(count + 1));
        if (strncmp(text + *end, expected, length) != 0) {
            break;
        }
        *end += length;
        count++;
    }
    free(text);
    return count;
}

static void judge_log(const char *path)
{
    size_t size;
    size_t end;
    if (access(path, F_OK) != 0 && promised() == 0) {
        return;
    }
    long count = log_records(path, &size, &end);
    if (end != size) {
        wrong("%s: %zu bytes after record %ld are no record", path, size - end, count);
    }
    if (count < promised()) {
        wrong("%s: %ld records, but %ld were promised", path, count, promised());
    }
}

static void repair_log(const char *path)
{
    if (access(path, F_OK) != 0) {
        return;
    }
    size_t size;
    size_t end;
    log_records(path, &size, &end);
    if (end != size && truncate(path, (off_t)end) != 0) {
        wrong("%s: %s", path, strerror(errno));
    }
}

/* A mapped table: a count at its start, and as many cells of its third page filled. */
static void judge_mapped(const char *path)
{
    size_t size;
    char *text = slurp(path, &size);
    if (size != MAPPED_SIZE) {
        wrong("%s: %zu bytes", path, size);
    }
    long count;
    memcpy(&count, text + HEADER_AT, sizeof count);
    for (long cell = 0; cell < count; cell++) {
        long value;
        memcpy(&value, text + BODY_AT + cell * sizeof value, sizeof value);
        if (value != cell + 1) {
            wrong("%s: the header counts %ld cells, cell %ld is empty", path, count, cell);
        }
    }
    free(text);
}

/* A recovery that looks at a file with read and then stores into it through a mapping: on a memory
 * file system such a store changes no time of the file. */
static void count_by_map(const char *path)
{
    int fd = open(path, O_RDWR);
    char look[16];
    if (fd < 0 || read(fd, look, sizeof look) < 0) {
        wrong("%s: %s", path, strerror(errno));
    }
    char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) {
        wrong("%s: %s", path, strerror(errno));
    }
    map[0]++;
}

static void judge_counted(const char *path)
{
    size_t size;
    char *text = slurp(path, &size);
    if (text[0] != '1') {
        wrong("%s: recovery ran once, its counter says '%c'", path, text[0]);
    }
}

/* Three marks far apart, of one version, in a file that is mostly a hole. */
static void judge_sparse(const char *path)
{
    static const off_t places[] = {0, 500 << 20, 1000 << 20};
    int fd = open(path, O_RDONLY);
    char first[8];
    for (size_t i = 0; i < 3; i++) {
        char mark[8];
        if (pread(fd, mark, sizeof mark, places[i]) != sizeof mark) {
            wrong("%s: no mark %zu", path, i);
        }
        if (i == 0) {
            memcpy(first, mark, sizeof first);
        }
        if (memcmp(first, mark, sizeof mark) != 0) {
            wrong("%s: mark %zu is of another version", path, i);
        }
    }
}

/* Every message that was sent must have had its line "sending N" in the log before. */
static void judge_sent(const char *path)
{
    size_t size;
    char *sent = slurp(getenv("BRINK_SENT"), &size);
    char *log = access(path, F_OK) == 0 ? slurp(path, &size) : "";
    for (char *at = strstr(sent, "order "); at; at = strstr(at + 1, "order ")) {
        char expected[64];
        snprintf(expected, sizeof expected, "sending %ld\n", strtol(at + 6, NULL, 10));
        if (!strstr(log, expected)) {
            wrong("%.8s was sent, the log does not know of it", at);
        }
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[1] : "";
    if (strcmp(what, "document") == 0) {
        judge_document(argv[2]);
    } else if (strcmp(what, "pair") == 0 && argc > 3) {
        judge_pair(argv[2], argv[3]);
    } else if (strcmp(what, "log") == 0) {
        judge_log(argv[2]);
    } else if (strcmp(what, "repair") == 0) {
        repair_log(argv[2]);
    } else if (strcmp(what, "mapped") == 0) {
        judge_mapped(argv[2]);
    } else if (strcmp(what, "count") == 0) {
        count_by_map(argv[2]);
    } else if (strcmp(what, "counted") == 0) {
        judge_counted(argv[2]);
    } else if (strcmp(what, "sparse") == 0) {
        judge_sparse(argv[2]);
    } else if (strcmp(what, "sent") == 0) {
        judge_sent(argv[2]);
    } else {
        fprintf(stderr, "usage: judge WHAT FILE [FILE]\n");
        return 127;
    }
    return 0;
}
