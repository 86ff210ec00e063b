/* The table of runtime_flags.def: what each flag takes, and which flags belong together. Private to
 * runtime_flags.c. */
#ifndef INSPECT_RUNTIME_FLAG_TABLE_H
#define INSPECT_RUNTIME_FLAG_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum flag_kind {
    KIND_TEXT,
    KIND_SET,
    KIND_CLEAR,
    KIND_COUNT, /* a whole number from 0 */
    KIND_SLOTS,
    KIND_PORT,
    KIND_MEBIBYTES,
    KIND_CONTEXT,
    KIND_GPU_LAYERS,
    KIND_CACHE,
    KIND_CACHES, /* of keys and values */
    KIND_DEVICES,
    KIND_OVERRIDES,
    KIND_SPLITS,
    KIND_SPLIT_MODE,
    KIND_LOAD_MODE,
    KIND_MMAP,
    KIND_NO_MMAP,
    KIND_MLOCK,
    KIND_WISH, /* on, off, auto; nothing behind it means on */
    KIND_WISH_TRUE,
    KIND_WISH_FALSE,
    KIND_LORA,
    KIND_LORA_SCALED, /* FILE SCALE; today FILE:SCALE */
    KIND_SECRET,      /* that it is there is kept, what it is is not */
    KIND_IGNORED,
    KIND_IGNORED_VALUE,
    KIND_IGNORED_TWO, /* values */
};

struct flag {
    const char *spelling, *twin; /* twin: its variable in the environment; NULL: none */
    enum flag_kind kind;
    size_t offset; /* of the member of struct runtime_flags */
};

bool flag_takes_value(enum flag_kind kind);
/* "--ctx_size" is "--ctx-size"; behind one dash nothing is taken for another. */
bool flag_is_spelled(struct raw_text argument, const char *spelling);
/* NULL: unknown. */
const struct flag *flag_find(struct raw_text spelling);
const struct flag *flag_of_twin(struct raw_text name);
/* The flag that takes back what this one sets; NULL: none does. */
const struct flag *flag_opposite(const struct flag *flag);

#endif
