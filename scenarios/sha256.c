#include "sha256.h"

#include <openssl/evp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hex.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { CHUNK = 65536 };

static void free_context(EVP_MD_CTX **context)
{
    EVP_MD_CTX_free(*context);
}

static bool finish(EVP_MD_CTX *context, char out[SHA256_TEXT], struct err *err)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (EVP_DigestFinal_ex(context, digest, &size) != 1)
        return err_harness(err, "compute a SHA-256");
    char *text OWN(own_mem) = hex_encode(digest, size);
    memcpy(out, text, SHA256_TEXT - 1);
    out[SHA256_TEXT - 1] = '\0';
    return true;
}

/* Replaces CR LF and CR by LF, in place. *was_cr: the chunk before ended with a CR. */
static size_t normalise(char *bytes, size_t size, bool *was_cr)
{
    size_t kept = 0;
    for (size_t i = 0; i < size; i++) {
        const bool is_cr = bytes[i] == '\r';
        const bool is_second_half = bytes[i] == '\n' && *was_cr;
        if (is_cr)
            bytes[i] = '\n';
        if (!is_second_half)
            bytes[kept++] = bytes[i];
        *was_cr = is_cr;
    }
    return kept;
}

static bool digest_file(int fd, bool want_lines, char out[SHA256_TEXT], struct err *err)
{
    EVP_MD_CTX *context OWN(free_context) = EVP_MD_CTX_new();
    char *chunk OWN(own_mem) = mem_new(CHUNK, 1);
    off_t at = 0;
    bool was_cr = false;
    if (!context || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1)
        return err_harness(err, "compute a SHA-256");
    ssize_t got = 0;
    while ((got = pread(fd, chunk, CHUNK, at)) > 0) {
        at += got;
        const size_t size = want_lines ? normalise(chunk, (size_t)got, &was_cr) : (size_t)got;
        if (EVP_DigestUpdate(context, chunk, size) != 1)
            return err_harness(err, "compute a SHA-256");
    }
    return got == 0 ? finish(context, out, err) : err_system(err, "read a file for its SHA-256");
}

bool sha256_file(int fd, char out[SHA256_TEXT], struct err *err)
{
    return digest_file(fd, false, out, err);
}

bool sha256_lines(int fd, char out[SHA256_TEXT], struct err *err)
{
    return digest_file(fd, true, out, err);
}

bool sha256_bytes(const void *data, size_t size, char out[SHA256_TEXT], struct err *err)
{
    EVP_MD_CTX *context OWN(free_context) = EVP_MD_CTX_new();
    if (!context || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1 ||
        EVP_DigestUpdate(context, data, size) != 1)
        return err_harness(err, "compute a SHA-256");
    return finish(context, out, err);
}
