/* http.h - the service's HTTP: on the loopback interface only, one thread for each connection. */
#ifndef TICKET_HTTP_H
#define TICKET_HTTP_H

#include <stdint.h>

#include "service.h"

struct http {
    struct MHD_Daemon *daemon; /* NULL: not started */
    uint16_t port;
};

/* Port 0 takes a free one; http->port says which. */
bool http_start(struct http *http, uint16_t port, struct service *service, struct fail *fail);
void http_stop(struct http *http);

#endif
