/* Values as people write them, in options and in the config file. */
#ifndef SETTINGS_WRITTEN_H
#define SETTINGS_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>

/* Digits with at most one point, no sign, no exponent, in any locale. */
bool written_decimal(const char *text, size_t length, double *value);
/* Whether `text` is one of `choices`, which are separated by |. */
bool written_choice(const char *choices, const char *text);

#endif
