/* Numbers in text from outside: bounded, overflow-checked, no locale. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Decimal digits at the start of raw; *used says how many bytes (may be NULL: then the whole of
 * raw, less surrounding white space, must be the number). False: no digit, or it does not fit. */
bool number_parse_u64(struct raw_text raw, uint64_t *value, size_t *used);
bool number_parse_i64(struct raw_text raw, int64_t *value, size_t *used);  /* with sign */
bool number_parse_hex(struct raw_text raw, uint64_t *value, size_t *used); /* with or without 0x */

/* Saturating and checked arithmetic on byte counts. */
bool number_add_i64(int64_t a, int64_t b, int64_t *sum);
bool number_multiply_i64(int64_t a, int64_t b, int64_t *product);

#endif
