#include "address.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "tracer/base/attr.h"
#include "tracer/base/own.h"

static struct address v4(const char *host, uint16_t port)
{
    struct sockaddr_in raw = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct address address = {.size = sizeof raw};
    inet_pton(AF_INET, host, &raw.sin_addr);
    memcpy(&address.storage, &raw, sizeof raw);
    return address;
}

static struct address v6(const char *host, uint16_t port)
{
    struct sockaddr_in6 raw = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    struct address address = {.size = sizeof raw};
    inet_pton(AF_INET6, host, &raw.sin6_addr);
    memcpy(&address.storage, &raw, sizeof raw);
    return address;
}

static struct address local(const char *name, size_t size)
{
    struct sockaddr_un raw = {.sun_family = AF_UNIX};
    struct address address = {.size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size)};
    memcpy(raw.sun_path, name, size);
    memcpy(&address.storage, &raw, sizeof raw);
    return address;
}

static void expect_text(const struct address *address, int type, const char *expected)
{
    char *text OWN(own_mem) = address_text(address, type);
    cr_expect_str_eq(text, expected);
}

Test(address, every_family_has_a_text_that_people_know)
{
    const struct address a = v4("127.0.0.1", 80), b = v6("::1", 443), c = local("/run/x", 7),
                         d = local("\0abc", 4), none = {0};
    expect_text(&a, SOCK_STREAM, "tcp 127.0.0.1:80");
    expect_text(&a, SOCK_DGRAM, "udp 127.0.0.1:80");
    expect_text(&b, SOCK_STREAM, "tcp [::1]:443");
    expect_text(&c, SOCK_STREAM, "unix /run/x");
    expect_text(&d, SOCK_STREAM, "unix @abc");
    expect_text(&none, SOCK_STREAM, "tcp");
}

Test(address, a_mapped_ipv4_address_is_the_ipv4_one)
{
    const struct address a = v4("10.1.2.3", 1), b = v6("::ffff:10.1.2.3", 2), c = v6("::1", 1);
    cr_expect(address_is_same_host(&a, &b));
    cr_expect_not(address_is_same_host(&a, &c));
}

Test(address, loopback_is_all_of_127_and_one_ipv6_address)
{
    const struct address a = v4("127.9.9.9", 1), b = v6("::1", 1), c = v4("128.0.0.1", 1),
                         d = v6("::ffff:127.0.0.1", 1), e = local("/x", 3);
    cr_expect(address_is_loopback(&a));
    cr_expect(address_is_loopback(&b));
    cr_expect(address_is_loopback(&d));
    cr_expect_not(address_is_loopback(&c));
    cr_expect_not(address_is_loopback(&e));
}
