/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Tokens of streams over TCP, for both ends. Both have the same token, from a file or from TCFLOW_TOKEN, and neither
 * sends it: each proves that it has it by a MAC over random numbers of both. A key is made of these, too, and the
 * stream is sealed with it, in boxes whose order, contents and length nobody can change or read on the way.
 * doc/stream-format.md has the bytes. */
#ifndef TCFLOW_PRIVATE_TOKEN_H
#define TCFLOW_PRIVATE_TOKEN_H

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_SODIUM
#include <sodium.h>
#endif

enum {
    TCF_TOKEN_LEAST = 16, /* bytes of a token */
    TCF_TOKEN_MOST = 4096,
    TCF_KEY_BYTES = 32,
    TCF_NONCE_BYTES = 32,
    TCF_PROOF_BYTES = 32,
    TCF_CHALLENGE_BYTES = 8 + TCF_NONCE_BYTES,                /* from the reader: the magic, its nonce */
    TCF_ANSWER_BYTES = 8 + TCF_NONCE_BYTES + TCF_PROOF_BYTES, /* from the writer: the magic, its nonce, its proof */
    TCF_BOX_MOST = 32 << 10,                                  /* of the stream in a box */
    TCF_BOX_HEAD_BYTES = 4,                                   /* the length of what follows, the lowest byte first */
    TCF_BOX_EXTRA_BYTES = 17,                                 /* what a box takes besides */
    TCF_SEAL_BYTES = 24,                                      /* in front of the first box */
    TCF_HANDSHAKE_SECONDS = 10                                /* that either side waits for the other one */
};
#define TCF_TOKEN_MAGIC "\x89TCA\r\n\x1a\n"

/* Does this address belong to the machine itself, so that nobody from elsewhere gets there? */
static inline int tcf_is_loopback(const struct sockaddr *a)
{
    struct sockaddr_in four;
    struct sockaddr_in6 six;

    if (a->sa_family == AF_INET) {
        memcpy(&four, a, sizeof four);
        return ntohl(four.sin_addr.s_addr) >> 24 == 127;
    }
    if (a->sa_family != AF_INET6)
        return 0;
    memcpy(&six, a, sizeof six);
    return IN6_IS_ADDR_LOOPBACK(&six.sin6_addr);
}

static inline int tcf_token_library(void)
{
#ifdef HAVE_SODIUM
    return sodium_init() >= 0;
#else
    return 0;
#endif
}

/* Reads a file with a token, which no other user may read. Returns its length, or -1: *why. */
static inline ssize_t tcf_token_file(const char *path, char text[TCF_TOKEN_MOST + 1], const char **why)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;

    *why = NULL;
    if (fd < 0 || fstat(fd, &st) != 0)
        *why = strerror(errno);
    else if (!S_ISREG(st.st_mode))
        *why = "it is no regular file";
    else if (st.st_mode & (S_IRWXG | S_IRWXO))
        *why = "other users may read it (chmod 600)";
    else if ((n = read(fd, text, TCF_TOKEN_MOST + 1)) < 0)
        *why = strerror(errno);
    if (fd >= 0)
        close(fd);
    return *why ? -1 : n;
}

/* The key of the token in the file `path`; path "" or NULL: of the token in TCFLOW_TOKEN. Returns 1: there is one;
 * 0: there is none; -1: it cannot be used, *why. */
static inline int tcf_token_key(const char *path, uint8_t key[TCF_KEY_BYTES], const char **why)
{
    const char *named = getenv("TCFLOW_TOKEN");
    char text[TCF_TOKEN_MOST + 1];
    ssize_t n;

    *why = NULL;
    if (path && *path) {
        n = tcf_token_file(path, text, why);
        if (n < 0)
            return -1;
    } else if (named && *named) {
        n = (ssize_t)strnlen(named, sizeof text);
        memcpy(text, named, (size_t)n);
    } else {
        return 0;
    }
    while (n > 0 && n <= TCF_TOKEN_MOST && (text[n - 1] == '\n' || text[n - 1] == '\r'))
        n--;
    if (n < TCF_TOKEN_LEAST || n > TCF_TOKEN_MOST)
        *why = n > TCF_TOKEN_MOST ? "it is longer than 4096 bytes" : "it is shorter than 16 bytes";
    else if (!tcf_token_library())
        *why = "this tcflow was built without libsodium";
#ifdef HAVE_SODIUM
    else
        crypto_generichash(key, TCF_KEY_BYTES, (const unsigned char *)text, (size_t)n, NULL, 0);
    sodium_memzero(text, sizeof text);
#endif
    (void)key;
    return *why ? -1 : 1;
}

#ifdef HAVE_SODIUM
/* MAC over a word and the nonces of reader and writer. */
static inline void tcf_token_mac(uint8_t out[TCF_PROOF_BYTES], const char *word, const uint8_t *reader,
                                 const uint8_t *writer, const uint8_t key[TCF_KEY_BYTES])
{
    crypto_generichash_state state;

    crypto_generichash_init(&state, key, TCF_KEY_BYTES, TCF_PROOF_BYTES);
    crypto_generichash_update(&state, (const unsigned char *)word, strlen(word) + 1);
    crypto_generichash_update(&state, reader, TCF_NONCE_BYTES);
    crypto_generichash_update(&state, writer, TCF_NONCE_BYTES);
    crypto_generichash_final(&state, out, TCF_PROOF_BYTES);
}
#define TCF_TOKEN_WRITER "tcflow writer"
#define TCF_TOKEN_READER "tcflow reader"
#define TCF_TOKEN_STREAM "tcflow stream"
#endif

#endif
