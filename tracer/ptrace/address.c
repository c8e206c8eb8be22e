#include "address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

#include "tracer/base/mem.h"

enum { MAPPED_OFFSET = 12, V4_SIZE = 4 };

bool address_is_internet(const struct address *address)
{
    return address->size > 0 &&
           (address->storage.ss_family == AF_INET || address->storage.ss_family == AF_INET6);
}

static struct sockaddr_in as_v4(const struct address *address)
{
    struct sockaddr_in v4;
    memcpy(&v4, &address->storage, sizeof v4);
    return v4;
}

static struct sockaddr_in6 as_v6(const struct address *address)
{
    struct sockaddr_in6 v6;
    memcpy(&v6, &address->storage, sizeof v6);
    return v6;
}

uint16_t address_port(const struct address *address)
{
    if (!address_is_internet(address))
        return 0;
    return ntohs(address->storage.ss_family == AF_INET ? as_v4(address).sin_port
                                                       : as_v6(address).sin6_port);
}

/* Every address as IPv6, IPv4 ones mapped. */
static struct in6_addr host_of(const struct address *address)
{
    struct in6_addr host = {0};
    if (address->storage.ss_family == AF_INET6)
        return as_v6(address).sin6_addr;
    const struct in_addr v4 = as_v4(address).sin_addr;
    host.s6_addr[10] = host.s6_addr[11] = 0xff;
    memcpy(&host.s6_addr[MAPPED_OFFSET], &v4, V4_SIZE);
    return host;
}

bool address_is_loopback(const struct address *address)
{
    if (!address_is_internet(address))
        return false;
    const struct in6_addr host = host_of(address);
    return IN6_IS_ADDR_LOOPBACK(&host) ||
           (IN6_IS_ADDR_V4MAPPED(&host) && host.s6_addr[MAPPED_OFFSET] == 127);
}

bool address_is_same_host(const struct address *a, const struct address *b)
{
    if (!address_is_internet(a) || !address_is_internet(b))
        return false;
    const struct in6_addr host_a = host_of(a), host_b = host_of(b);
    return memcmp(&host_a, &host_b, sizeof host_a) == 0;
}

static char *unix_text(const struct address *address)
{
    struct sockaddr_un name;
    memcpy(&name, &address->storage, sizeof name);
    const size_t head = offsetof(struct sockaddr_un, sun_path);
    if (address->size <= head)
        return mem_string("unix");
    const size_t size = address->size - head;
    if (name.sun_path[0] == '\0')
        return mem_format("unix @%.*s", (int)size - 1, name.sun_path + 1);
    return mem_format("unix %.*s", (int)strnlen(name.sun_path, size), name.sun_path);
}

char *address_text(const struct address *address, int type)
{
    char host[INET6_ADDRSTRLEN] = "?";
    const char *protocol = type == SOCK_STREAM ? "tcp" : type == SOCK_DGRAM ? "udp" : "ip";
    if (address->size > 0 && address->storage.ss_family == AF_UNIX)
        return unix_text(address);
    if (!address_is_internet(address))
        return mem_string(protocol);
    const bool is_v4 = address->storage.ss_family == AF_INET;
    const struct sockaddr_in v4 = as_v4(address);
    const struct sockaddr_in6 v6 = as_v6(address);
    const void *bytes = is_v4 ? (const void *)&v4.sin_addr : (const void *)&v6.sin6_addr;
    inet_ntop(address->storage.ss_family, bytes, host, sizeof host);
    return mem_format(is_v4 ? "%s %s:%u" : "%s [%s]:%u", protocol, host, address_port(address));
}
