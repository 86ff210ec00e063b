/* The words of a snapshot's enums, as they stand in JSON. */
#ifndef SNAPSHOT_WORDS_H
#define SNAPSHOT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* One enum: its values are 0 to count - 1. */
struct words {
    const char *(*name)(int value); /* static; "" for a value outside */
    int count;
};

extern const struct words words_origin;
extern const struct words words_mode;
extern const struct words words_source_state;
extern const struct words words_adapter_kind;
extern const struct words words_power_state;
extern const struct words words_namespace;
extern const struct words words_class;
extern const struct words words_gpu_use;     /* value 0 has no word: null */
extern const struct words words_inferred_by; /* likewise */
extern const struct words words_strength;
extern const struct words words_model_kind; /* likewise */
extern const struct words words_reason;
extern const struct words words_how;

/* False: no such word. */
bool words_find(const struct words *words, struct text text, int *value);

#endif
