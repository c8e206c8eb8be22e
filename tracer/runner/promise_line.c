#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "promises.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { PADDING = 64 }; /* its place among the digits */

static char *base64(const unsigned char *bytes, size_t size)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
    char *text = mem_new(1, (size + 2) / 3 * 4 + 1);
    char *to = text;
    for (size_t i = 0; i < size; i += 3) {
        const unsigned second = i + 1 < size ? bytes[i + 1] : 0;
        const unsigned third = i + 2 < size ? bytes[i + 2] : 0;
        const unsigned group = (unsigned)bytes[i] << 16 | second << 8 | third;
        *to++ = digits[group >> 18];
        *to++ = digits[group >> 12 & 63];
        *to++ = digits[i + 1 < size ? group >> 6 & 63 : PADDING];
        *to++ = digits[i + 2 < size ? group & 63 : PADDING];
    }
    return text;
}

/* The message as JSON: as text where it is one, for people read it. */
static void set_bytes(json_t *line, const char *bytes, size_t size)
{
    json_t *text = json_stringn(bytes, size);
    if (text) {
        json_object_set_new(line, "text", text);
        return;
    }
    char *coded OWN(own_mem) = base64((const unsigned char *)bytes, size);
    json_object_set_new(line, "base64", json_string(coded));
}

bool promises_line(const struct trace *trace, uint32_t op, char **out, struct err *err)
{
    const struct op *sent = &trace->ops[op];
    char *bytes OWN(own_mem) = mem_new(1, sent->payload_size + 1);
    if (!trace_read(trace, sent->payload, bytes, sent->payload_size, err))
        return false;
    json_t *line = json_object();
    json_object_set_new(line, "op", json_integer(op));
    json_t *peer = json_string(trace_string(trace, sent->path));
    json_object_set_new(line, "peer", peer ? peer : json_string("?"));
    set_bytes(line, bytes, sent->payload_size);
    char *text = json_dumps(line, JSON_COMPACT | JSON_PRESERVE_ORDER);
    json_decref(line);
    *out = mem_format("%s\n", text ? text : "{}");
    free(text);
    return true;
}
