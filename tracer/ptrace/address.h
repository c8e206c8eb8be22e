/* address.h - socket addresses, for people and for comparing. Pure. */
#ifndef PTRACE_ADDRESS_H
#define PTRACE_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

struct address {
    struct sockaddr_storage storage;
    socklen_t size; /* 0: none */
};

/* "tcp 127.0.0.1:80", "udp [::1]:53", "unix /run/x", "unix @abstract", "unix" without a name; type:
 * SOCK_STREAM and so on. Caller frees. */
char *address_text(const struct address *address, int type);

/* 0 for what has no port. */
uint16_t address_port(const struct address *address);

/* Of this host for certain: a loopback address. */
bool address_is_loopback(const struct address *address);

/* The same internet host, ports aside; an IPv4 address mapped into IPv6 is the IPv4 one. */
bool address_is_same_host(const struct address *a, const struct address *b);

bool address_is_internet(const struct address *address);

#endif
