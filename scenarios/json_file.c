#include "json_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ended.h"
#include "tracer/base/own.h"

json_t *json_file_read(int fd)
{
    json_error_t ignored;
    struct ended_text text = {0};
    struct err why = {0};
    if (!ended_take_text(fd, &text, &why))
        return NULL;
    json_t *json = json_loadb(text.bytes, text.size, 0, &ignored);
    free(text.bytes);
    return json;
}

bool json_file_write(int fd, const json_t *json, size_t flags)
{
    char *text OWN(own_mem) = json_dumps(json, flags);
    if (!text) {
        errno = EILSEQ;
        return false;
    }
    const size_t size = strlen(text);
    for (size_t done = 0; done < size;) {
        const ssize_t written = write(fd, text + done, size - done);
        if (written < 0 && errno != EINTR)
            return false;
        done += written > 0 ? (size_t)written : 0;
    }
    return true;
}
