/* keys.h - the set of keys that a scan has met, to see when one comes twice. */
#ifndef JOURNAL_KEYS_H
#define JOURNAL_KEYS_H

#include <stdbool.h>

#include "utf.h"

struct keys {
    void *root; /* NULL is the empty set */
};

enum keys_answer { KEYS_ADDED, KEYS_KNOWN, KEYS_NO_MEMORY };

enum keys_answer keys_add(struct keys *keys, struct utf_text key);
void keys_fini(struct keys *keys);

#endif
