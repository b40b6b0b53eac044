/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The reader's side of tokens (private/token.h): asks whoever connects for a proof, and opens the boxes of the stream.
 * A box is looked into when it is there as a whole and its MAC is right, and never before. */
#include "framework/base/error.h"
#include "stream_internal.h"

#include <errno.h>
#include <private/token.h>
#include <unistd.h>

struct stream_token {
    uint8_t key[TCF_KEY_BYTES];
    int is_open; /* the first box may come */
#ifdef HAVE_SODIUM
    crypto_secretstream_xchacha20poly1305_state state;
#endif
    uint8_t session[TCF_KEY_BYTES];
    uint8_t box[TCF_BOX_HEAD_BYTES + TCF_BOX_MOST + TCF_BOX_EXTRA_BYTES]; /* as it has come, so far */
    size_t box_n;
    uint8_t plain[TCF_BOX_MOST];
    size_t from, n; /* of `plain`: what has not been taken */
};

tcf_status stream_token_open(stream_input *in, const char *path, int is_needed)
{
    const char *why;
    stream_token *t = calloc(1, sizeof *t);
    const int has = t ? tcf_token_key(path, t->key, &why) : -1;

    if (has > 0) {
        in->token = t;
        return TCF_OK;
    }
    free(t);
    if (!t)
        return error_fail("out of memory for a token");
    if (has < 0)
        return error_usage("the token %s%s cannot be used: %s", path && *path ? "in " : "in TCFLOW_TOKEN",
                           path && *path ? path : "", why);
    if (is_needed)
        return error_usage("input = %s: others than this machine can connect there, so the writer has to prove that it "
                           "has a token: 'token' of [pipeline] names a file with one, or TCFLOW_TOKEN has it",
                           in->name);
    return TCF_OK;
}

void stream_token_free(stream_token *t)
{
#ifdef HAVE_SODIUM
    if (t)
        sodium_memzero(t, sizeof *t);
#endif
    free(t);
}

size_t stream_token_pending(const stream_input *in)
{
    return in->token ? in->token->n : 0;
}

#ifdef HAVE_SODIUM

int stream_token_ask(int fd, uint8_t nonce[STREAM_NONCE_BYTES])
{
    uint8_t challenge[TCF_CHALLENGE_BYTES];

    _Static_assert((int)STREAM_NONCE_BYTES == (int)TCF_NONCE_BYTES, "a nonce");
    randombytes_buf(nonce, TCF_NONCE_BYTES);
    memcpy(challenge, TCF_TOKEN_MAGIC, 8);
    memcpy(challenge + 8, nonce, TCF_NONCE_BYTES);
    return send(fd, challenge, sizeof challenge, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof challenge;
}

int stream_token_check(stream_input *in, int fd, const uint8_t nonce[STREAM_NONCE_BYTES], const char **why)
{
    uint8_t answer[TCF_ANSWER_BYTES], proof[TCF_PROOF_BYTES];
    stream_token *t = in->token;
    const ssize_t n = recv(fd, answer, sizeof answer, MSG_PEEK | MSG_DONTWAIT);

    *why = NULL;
    if (n > 0 && memcmp(answer, TCF_TOKEN_MAGIC, n < 8 ? (size_t)n : 8) != 0)
        *why = "it proves no token";
    if (n < (ssize_t)sizeof answer || *why)
        return 0;
    tcf_token_mac(proof, TCF_TOKEN_WRITER, nonce, answer + 8, t->key);
    if (sodium_memcmp(proof, answer + 8 + TCF_NONCE_BYTES, sizeof proof) != 0) {
        *why = "its token is another one";
        return 0;
    }
    tcf_token_mac(proof, TCF_TOKEN_READER, nonce, answer + 8, t->key);
    tcf_token_mac(t->session, TCF_TOKEN_STREAM, nonce, answer + 8, t->key);
    if (recv(fd, answer, sizeof answer, 0) == (ssize_t)sizeof answer &&
        send(fd, proof, sizeof proof, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof proof)
        return 1;
    *why = "it has ended";
    return 0;
}

/* Opens what has come as a whole. 0: more is needed; -1: it was altered. */
static int open_box(stream_token *t)
{
    unsigned char tag;

    if (!t->is_open) {
        if (t->box_n < TCF_SEAL_BYTES)
            return 0;
        t->is_open = crypto_secretstream_xchacha20poly1305_init_pull(&t->state, t->box, t->session) == 0;
        t->box_n = 0;
        return t->is_open ? 0 : -1;
    }
    const uint32_t bytes = t->box_n < TCF_BOX_HEAD_BYTES ? 0 : tcf_get_u32(t->box);
    if (t->box_n < TCF_BOX_HEAD_BYTES || t->box_n < TCF_BOX_HEAD_BYTES + (size_t)bytes)
        return 0;
    if (crypto_secretstream_xchacha20poly1305_pull(&t->state, t->plain, NULL, &tag, t->box + TCF_BOX_HEAD_BYTES, bytes,
                                                   t->box, TCF_BOX_HEAD_BYTES) != 0)
        return -1;
    t->from = 0;
    t->n = bytes - TCF_BOX_EXTRA_BYTES;
    t->box_n = 0;
    return 1;
}

/* Bytes that are missing of what comes next: the seal, the head of a box, or the rest of one. 0: it is too large. */
static size_t missing(const stream_token *t)
{
    if (!t->is_open)
        return TCF_SEAL_BYTES - t->box_n;
    if (t->box_n < TCF_BOX_HEAD_BYTES)
        return TCF_BOX_HEAD_BYTES - t->box_n;
    const uint32_t bytes = tcf_get_u32(t->box);
    return bytes < TCF_BOX_EXTRA_BYTES || bytes > TCF_BOX_MOST + TCF_BOX_EXTRA_BYTES
               ? 0
               : TCF_BOX_HEAD_BYTES + bytes - t->box_n;
}

/* Takes a step towards the next box; as read() otherwise. */
static ssize_t take_step(stream_input *in)
{
    stream_token *t = in->token;
    const size_t wanted = missing(t);
    const ssize_t got = wanted > 0 ? recv(in->fd, t->box + t->box_n, wanted, MSG_DONTWAIT) : (errno = EBADMSG, -1);

    if (got <= 0)
        return got;
    t->box_n += (size_t)got;
    if (open_box(t) >= 0)
        return got;
    errno = EBADMSG;
    return -1;
}

ssize_t stream_read(stream_input *in, void *to, size_t n)
{
    stream_token *t = in->token;

    if (!t)
        return read(in->fd, to, n);
    while (t->n == 0) {
        const ssize_t got = take_step(in);
        if (got <= 0)
            return got;
    }
    n = n < t->n ? n : t->n;
    memcpy(to, t->plain + t->from, n);
    t->from += n;
    t->n -= n;
    return (ssize_t)n;
}

#else

int stream_token_ask(int fd, uint8_t nonce[STREAM_NONCE_BYTES])
{
    (void)fd, (void)nonce;
    return 0;
}

int stream_token_check(stream_input *in, int fd, const uint8_t nonce[STREAM_NONCE_BYTES], const char **why)
{
    (void)in, (void)fd, (void)nonce;
    *why = "this tcflow was built without libsodium";
    return 0;
}

ssize_t stream_read(stream_input *in, void *to, size_t n)
{
    return read(in->fd, to, n);
}

#endif
