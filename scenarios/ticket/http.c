#include "http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODY_MAX = 65536, STATUS_TOO_LARGE = 413, STATUS_BROKEN = 500 };

struct body {
    size_t size;
    bool is_too_large;
    char bytes[BODY_MAX + 1];
};

/* What a reply that ends half-way still has to give. */
struct half {
    char *bytes;
    size_t size;
};

static ssize_t read_half(void *context, uint64_t position, char *out, size_t room)
{
    const struct half *half = context;
    const size_t part = half->size / 2;
    if (position >= part)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    const size_t size = part - (size_t)position < room ? part - (size_t)position : room;
    memcpy(out, half->bytes + position, size);
    return (ssize_t)size;
}

static void free_half(void *context)
{
    struct half *half = context;
    free(half->bytes);
    free(half);
}

/* Takes the reply's body. */
static struct MHD_Response *response_of(struct reply *reply)
{
    const size_t size = strlen(reply->body);
    struct half *half = reply->end == REPLY_HALF ? malloc(sizeof *half) : NULL;
    if (half) {
        *half = (struct half){reply->body, size};
        return MHD_create_response_from_callback(size, BODY_MAX, read_half, half, free_half);
    }
    return MHD_create_response_from_buffer(size, reply->body, MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result send_reply(struct MHD_Connection *connection, struct reply *reply)
{
    if (reply->end == REPLY_DROPPED) {
        free(reply->body);
        return MHD_NO; /* closes the connection */
    }
    struct MHD_Response *response = response_of(reply);
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->type);
    const enum MHD_Result result =
        MHD_queue_response(connection, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer(struct service *service, struct MHD_Connection *connection,
                              const struct request *request, const struct body *body)
{
    struct reply reply = {0};
    struct fail fail = {0};
    bool is_answered = body->is_too_large
                           ? reply_error(&reply, STATUS_TOO_LARGE, "the body is too large", &fail)
                           : service_answer(service, request, &reply, &fail);
    if (!is_answered) {
        fprintf(stderr, "ticket-service: %s\n", fail.text);
        is_answered = reply_error(&reply, STATUS_BROKEN, "the service failed", &fail);
    }
    return is_answered ? send_reply(connection, &reply) : MHD_NO;
}

/* Called once for the head of a request, then for each part of its body, then once more. */
/* NOLINTNEXTLINE(readability-function-size): the library gives it this many */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
    struct body *body = *state;
    (void)version;
    if (!body) {
        *state = calloc(1, sizeof *body);
        return *state ? MHD_YES : MHD_NO;
    }
    if (*upload_size > 0) {
        body->is_too_large = body->is_too_large || *upload_size > BODY_MAX - body->size;
        if (!body->is_too_large) {
            memcpy(body->bytes + body->size, upload, *upload_size);
            body->size += *upload_size;
        }
        *upload_size = 0;
        return MHD_YES;
    }
    const char *key = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Idempotency-Key");
    const struct request request = {method, url, key, body->bytes, body->size};
    return answer(context, connection, &request, body);
}

static void completed(void *context, struct MHD_Connection *connection, void **state,
                      enum MHD_RequestTerminationCode code)
{
    (void)context;
    (void)connection;
    (void)code;
    free(*state);
    *state = NULL;
}

bool http_start(struct http *http, uint16_t port, struct service *service, struct fail *fail)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    errno = 0;
    http->daemon =
        MHD_start_daemon(MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD, port,
                         NULL, NULL, handle, service, MHD_OPTION_SOCK_ADDR, &address,
                         MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_END);
    if (!http->daemon)
        return fail_system(fail, "listen on 127.0.0.1:%d", port);
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_BIND_PORT);
    http->port = info ? info->port : port;
    return true;
}

void http_stop(struct http *http)
{
    if (http->daemon)
        MHD_stop_daemon(http->daemon);
    http->daemon = NULL;
}
