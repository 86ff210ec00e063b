/* The values of runtime flags that are more than one number or one text. Pure; each false when the
 * runtime would refuse it. Private to inspect/. */
#ifndef INSPECT_RUNTIME_VALUES_H
#define INSPECT_RUNTIME_VALUES_H

#include "inspect/runtime_flags.h"

bool runtime_value_gpu_layers(struct raw_text value, struct load_flags *load); /* 99, auto, all */
bool runtime_value_cache(struct raw_text value, enum cache_type *type);        /* q8_0 */
bool runtime_value_devices(struct raw_text value, struct load_flags *load);    /* CUDA0,CUDA1 */
/* PATTERN=BUFFER,PATTERN=BUFFER: added to those there are. */
bool runtime_value_overrides(struct raw_text value, struct load_flags *load);
bool runtime_value_splits(struct raw_text value, double *splits, size_t *count); /* 3,1 or 3/1 */
bool runtime_value_split_mode(struct raw_text value, enum split_mode *mode);
bool runtime_value_load_mode(struct raw_text value, enum load_mode *mode);
bool runtime_value_wish(struct raw_text value, enum wish *wish); /* on, off, auto and their kin */
bool runtime_value_real(struct raw_text value, double *real);    /* "0.5"; no exponent, no locale */

#endif
