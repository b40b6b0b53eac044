/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Sockets of streams, for both ends, who have to mean the same by tcp:HOST:PORT and to wait equally long for a machine
 * that is gone. */
#ifndef TCFLOW_SOCKET_H
#define TCFLOW_SOCKET_H

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TCF_HOST_BYTES = 256 };

/* "PORT", "HOST:PORT", or "[HOST]:PORT" where the host has colons itself; without a host it is this machine, and nobody
 * from elsewhere can connect. *port points into the text. 0: it is none of them, or a number that no port has. */
static inline int tcf_socket_address(const char *text, char host[TCF_HOST_BYTES], const char **port)
{
    const char *colon = strrchr(text, ':');
    size_t n = colon ? (size_t)(colon - text) : 0;

    *port = colon ? colon + 1 : text;
    if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
        text++;
        n -= 2;
    }
    char *end;
    const unsigned long number = strtoul(*port, &end, 10); /* getaddrinfo() takes it modulo 65536 */
    if (**port == '\0' || n >= TCF_HOST_BYTES || (*end == '\0' && (number == 0 || number > UINT16_MAX)))
        return 0;
    if (n == 0) {
        text = "127.0.0.1";
        n = strlen(text);
    }
    memcpy(host, text, n);
    host[n] = '\0';
    return 1;
}

/* Does the other end of a Unix socket belong to the user of this process? For whoever defines _GNU_SOURCE. */
static inline int tcf_socket_is_own(int fd)
{
    struct ucred peer;
    socklen_t n = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 && peer.uid == geteuid();
}

/* Where the other machine is gone without a word, that is found out after two minutes. No matter where it isn't TCP. */
static inline void tcf_socket_keep_alive(int fd)
{
    const int yes = 1, idle = 60, between = 15, probes = 4;

    if (setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes) != 0)
        return;
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

#ifdef __cplusplus
}
#endif

#endif
