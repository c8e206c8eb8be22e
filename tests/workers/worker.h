/* worker.h - what the workers of this folder have in common: documents, logs, promises. */
#ifndef WORKERS_WORKER_H
#define WORKERS_WORKER_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static inline void must(bool holds, const char *what)
{
    if (!holds) {
        perror(what);
        exit(1);
    }
}

static inline bool is_good(int argc, char **argv)
{
    must(argc > 1, "usage: WORKER good|bad [ARG...]");
    return strcmp(argv[1], "good") == 0;
}

/* A whole document of some version; its length in *size. The caller frees it. */
static inline char *document(long version, size_t *size)
{
    char *text = malloc(1 << 16);
    int length = sprintf(text, "version %ld\n", version);
    for (int line = 0; line < 100; line++) {
        length += sprintf(text + length, "line %d of version %ld\n", line, version);
    }
    length += sprintf(text + length, "end %ld\n", version);
    *size = length;
    return text;
}

static inline void put(int fd, const void *bytes, size_t size)
{
    must(write(fd, bytes, size) == (ssize_t)size, "write");
}

/* Written in two halves, as a program with a small buffer would. */
static inline void put_document(int fd, long version)
{
    size_t size;
    char *text = document(version, &size);
    put(fd, text, size / 2);
    put(fd, text + size / 2, size - size / 2);
    free(text);
}

static inline void put_record(int fd, long number)
{
    char line[64];
    int length = sprintf(line, "record %ld %ld\n", number, (number * 2654435761L) % 1000003);
    put(fd, line, length);
}

static inline void promise(long number)
{
    char line[32];
    int length = sprintf(line, "saved %ld\n", number);
    put(STDOUT_FILENO, line, length);
}

/* For checks: the last number that had been promised before the crash. */
static inline long promised(void)
{
    const char *path = getenv("BRINK_ACKED");
    FILE *file = fopen(path ? path : "/dev/null", "r");
    long last = 0;
    must(file != NULL, "BRINK_ACKED");
    while (fscanf(file, "saved %ld\n", &last) == 1) {
    }
    fclose(file);
    return last;
}

static inline void sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY);
    must(fd >= 0 && fsync(fd) == 0, "sync folder");
    close(fd);
}

/* The honest way to replace a file. */
static inline void save_by_rename(const char *path, long version)
{
    int fd = open("new", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    must(fd >= 0, "open new");
    put_document(fd, version);
    must(fsync(fd) == 0 && close(fd) == 0, "fsync");
    must(rename("new", path) == 0, "rename");
    sync_folder(".");
}

#endif
