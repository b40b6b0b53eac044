/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* stream_write: the writer's side of tokens (private/token.h): proves that it has the token to a reader that proves the
 * same, and puts the stream into boxes that only such a reader opens. */
#define _GNU_SOURCE /* struct ucred, in socket.h */
#include "stream_write.h"

#include <errno.h>
#include <poll.h>
#include <private/token.h>
#include <time.h>

struct seal {
    uint8_t key[TCF_KEY_BYTES];
#ifdef HAVE_SODIUM
    crypto_secretstream_xchacha20poly1305_state state;
#endif
    uint8_t box[TCF_BOX_HEAD_BYTES + TCF_BOX_MOST + TCF_BOX_EXTRA_BYTES];
};

tcf_status seal_prepare(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *state = self->state;
    const char *why;
    struct seal *seal = calloc(1, sizeof *seal);
    const int has = seal ? tcf_token_key(conf->token, seal->key, &why) : -1;

    if (has > 0)
        state->seal = seal;
    else
        free(seal);
    if (!seal)
        return self->host->fail(self, "out of memory");
    return has < 0 ? self->host->refuse(self, "the token in %s cannot be used: %s",
                                        *conf->token ? conf->token : "TCFLOW_TOKEN", why)
                   : TCF_OK;
}

void seal_free(struct seal *seal)
{
#ifdef HAVE_SODIUM
    if (seal)
        sodium_memzero(seal, sizeof *seal);
#endif
    free(seal);
}

#ifdef HAVE_SODIUM

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Receives n bytes within the time that a handshake may take. NULL, or what is wrong. */
static const char *receive(int fd, uint8_t *to, size_t n)
{
    const double until = now() + TCF_HANDSHAKE_SECONDS;

    for (size_t done = 0; done < n;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        const double left = until - now();
        const int ready = left > 0 ? poll(&wait, 1, (int)(left * 1e3) + 1) : 0;
        if (ready < 0)
            return strerror(errno);
        if (ready == 0)
            return "whoever reads there asks for no token";
        const ssize_t got = recv(fd, to + done, n - done, MSG_DONTWAIT);
        if (got < 0 && errno == EAGAIN)
            continue;
        if (got <= 0)
            return "whoever reads there has another token";
        done += (size_t)got;
    }
    return NULL;
}

static const char *shake_hands(struct seal *seal, int fd, uint8_t key[TCF_KEY_BYTES])
{
    uint8_t challenge[TCF_CHALLENGE_BYTES], answer[TCF_ANSWER_BYTES], proof[TCF_PROOF_BYTES], its[TCF_PROOF_BYTES];
    const uint8_t *reader = challenge + 8;
    uint8_t *writer = answer + 8;
    const char *wrong = receive(fd, challenge, sizeof challenge);

    if (wrong)
        return wrong;
    if (memcmp(challenge, TCF_TOKEN_MAGIC, 8) != 0)
        return "whoever reads there is no tcflow that asks for a token";
    memcpy(answer, TCF_TOKEN_MAGIC, 8);
    randombytes_buf(writer, TCF_NONCE_BYTES);
    tcf_token_mac(writer + TCF_NONCE_BYTES, TCF_TOKEN_WRITER, reader, writer, seal->key);
    tcf_token_mac(proof, TCF_TOKEN_READER, reader, writer, seal->key);
    tcf_token_mac(key, TCF_TOKEN_STREAM, reader, writer, seal->key);
    if (send(fd, answer, sizeof answer, MSG_NOSIGNAL) != (ssize_t)sizeof answer)
        return strerror(errno);
    if ((wrong = receive(fd, its, sizeof its)))
        return wrong;
    return sodium_memcmp(proof, its, sizeof proof) == 0 ? NULL : "whoever reads there does not have the token";
}

tcf_status seal_begin(tcf_self *self)
{
    struct state *state = self->state;
    uint8_t key[TCF_KEY_BYTES], start[TCF_SEAL_BYTES];
    const char *wrong = shake_hands(state->seal, state->fd, key);

    if (!wrong && (crypto_secretstream_xchacha20poly1305_init_push(&state->seal->state, start, key) != 0 ||
                   send(state->fd, start, sizeof start, MSG_NOSIGNAL) != (ssize_t)sizeof start))
        wrong = strerror(errno);
    sodium_memzero(key, sizeof key);
    return wrong ? self->host->fail(self, "'%s': %s", state->path, wrong) : TCF_OK;
}

size_t seal_box(struct seal *seal, const uint8_t *bytes, size_t n, const uint8_t **box)
{
    tcf_put_u32(seal->box, (uint32_t)(n + TCF_BOX_EXTRA_BYTES));
    crypto_secretstream_xchacha20poly1305_push(&seal->state, seal->box + TCF_BOX_HEAD_BYTES, NULL, bytes, n, seal->box,
                                               TCF_BOX_HEAD_BYTES, 0);
    *box = seal->box;
    return TCF_BOX_HEAD_BYTES + n + TCF_BOX_EXTRA_BYTES;
}

#else

tcf_status seal_begin(tcf_self *self)
{
    return self->host->fail(self, "this tcflow was built without libsodium");
}

size_t seal_box(struct seal *seal, const uint8_t *bytes, size_t n, const uint8_t **box)
{
    (void)seal;
    *box = bytes;
    return n;
}

#endif
