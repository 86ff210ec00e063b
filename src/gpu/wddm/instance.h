/* Names of PDH instances of the GPU counter sets:
 *
 *   mem     := "pid_" DEC "_luid_" HEX "_" HEX "_phys_" DEC
 *   adapter := "luid_" HEX "_" HEX "_phys_" DEC [ "_part_" DEC ]
 *   engine  := mem "_eng_" DEC "_engtype_" TYPE
 *   all     := (mem | adapter | engine) [ "#" DEC ]
 *
 * HEX is "0x" and 1 to 8 digits, the first one the high part; keywords and digits in any case. TYPE
 * is free text, perhaps empty. Source: reference windows.md section 1.2, nvidia.md section 9. */
#ifndef GPU_WDDM_INSTANCE_H
#define GPU_WDDM_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "reading/engines.h"

struct wddm_instance {
    bool has_pid, has_engine, has_part;
    int64_t pid;
    uint64_t luid; /* high part << 32 | low part */
    uint32_t physical, part, engine, duplicate;
    struct raw_text type; /* of the engine, within the name that was parsed */
};

/* False for anything else. */
bool wddm_instance_parse(struct raw_text name, struct wddm_instance *instance);
/* "0x00000000_0x0000D1A2" as in the names; in any case, hexadecimal digits of both parts. */
bool wddm_luid_parse(struct raw_text text, uint64_t *luid);
/* The column of an engine type; ENGINE_other for one that is not known (it counts for the load). */
enum engine wddm_engine_column(struct raw_text type);
/* Tells types apart, in any case of their letters. */
uint32_t wddm_engine_type(struct raw_text type);

#endif
