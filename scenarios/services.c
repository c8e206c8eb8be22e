#include "services.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { PORT = 7000 };

bool services_start(struct services *services, const struct plan *plan,
                    const struct services_place *place, struct err *err)
{
    services->items = mem_new(plan->services_count + 1, sizeof *services->items);
    for (size_t i = 0; i < plan->services_count; i++) {
        services->items[i].log_fd = -1;
        services->count++;
        const struct child_options options = {&plan->services[i].command, plan->services[i].name,
                                              place->state, place->workspace};
        if (!service_start(&services->items[i], &plan->services[i], &options, err))
            return false;
    }
    return true;
}

bool services_can_reset(const struct services *services, const struct plan *plan)
{
    bool can_reset = services->count > 0;
    for (size_t i = 0; i < services->count; i++)
        can_reset = can_reset && plan->services[i].reset && service_is_alive(&services->items[i]);
    return can_reset;
}

/* Its own command brings a service back to its beginning. */
static bool reset_service(const struct plan_service *plan, const struct services_place *place,
                          struct err *err)
{
    struct plan_command command = plan->command;
    command.argv = plan->reset;
    const struct child_options options = {&command, plan->name, place->state, place->workspace};
    struct ended ended = {0};
    if (!child_run(&options, &ended, err))
        return false;
    char *words OWN(own_mem) = ended_words(&ended);
    const bool is_done = ended.status == 0 && !ended.has_timed_out;
    ended_fini(&ended);
    return is_done || err_usage(err, "service %s: reset: %s", plan->name, words);
}

bool services_reset(struct services *services, const struct plan *plan,
                    const struct services_place *place, struct err *err)
{
    for (size_t i = 0; i < services->count; i++) {
        services->items[i].plan = &plan->services[i];
        if (!reset_service(&plan->services[i], place, err))
            return false;
    }
    return true;
}

const char *services_find_dead(const struct services *services)
{
    for (size_t i = 0; i < services->count; i++) {
        if (!service_is_alive(&services->items[i]))
            return services->items[i].plan->name;
    }
    return NULL;
}

void services_stop(struct services *services)
{
    for (size_t i = 0; i < services->count; i++)
        service_stop(&services->items[i]);
    free(services->items);
    *services = (struct services){0};
}

uint16_t services_port(bool is_own_network)
{
    const int fd OWN(own_fd) = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    void *generic = &address;
    if (is_own_network || fd < 0 || bind(fd, generic, size) != 0 ||
        getsockname(fd, generic, &size) != 0)
        return PORT;
    return ntohs(address.sin_port);
}
