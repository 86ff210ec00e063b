/* Apple's frameworks as a table of functions: frameworks_load() fills it from the system's, a test
 * from its own. They are part of the system and run in this process: what they do for us is one
 * message to the kernel each, and no vendor's code is loaded by it.
 *
 * Whatever a function called Create or Copy gives is released by us, whatever Get gives is not. */
#ifndef GPU_METAL_MACOS_FRAMEWORKS_H
#define GPU_METAL_MACOS_FRAMEWORKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/problem.h"
#include "base/text.h"
#include "os/library.h"
#include "reading/measured.h"

enum framework {
    FRAMEWORK_CORE_FOUNDATION,
    FRAMEWORK_IOKIT,
    FRAMEWORK_HID, /* a part of IOKit that is not published */
    FRAMEWORK_REPORT,
    FRAMEWORK_COUNT
};

struct frameworks {
    struct library *libraries[FRAMEWORK_COUNT]; /* HID has none of its own */
    bool has[FRAMEWORK_COUNT];                  /* every function of it was found */
    const void *key_calls, *value_calls; /* kCFTypeDictionaryKeyCallBacks, ...ValueCallBacks */
    uint32_t task;                       /* mach_task_self() */
#define FUNCTION(library, returns, name, symbol, arguments) returns(*name) arguments;
#include "gpu/metal/macos/functions.def"
#undef FUNCTION
};

/* False with the reason in *problem: without Core Foundation and IOKit there is nothing. The other
 * two may be missing. */
bool frameworks_load(struct frameworks *frameworks, struct problem *problem);
void frameworks_unload(struct frameworks *frameworks);

/* Types and encodings of Core Foundation. */
enum { CF_NUMBER_INT32 = 3, CF_NUMBER_INT64 = 4, CF_NUMBER_DOUBLE = 13, CF_UTF8 = 0x08000100 };
enum { IOKIT_NAME_BYTES = 128 };

/* A key; the caller releases it with cf_release(). NULL: out of memory. */
const void *cf_key(const struct frameworks *frameworks, const char *name);
/* NULL is allowed. */
void cf_release(const struct frameworks *frameworks, const void *value);
bool cf_is_dictionary(const struct frameworks *frameworks, const void *value);
bool cf_is_array(const struct frameworks *frameworks, const void *value);
/* A whole number; anything else, NULL too, is unknown (not_reported). */
struct measured cf_number(const struct frameworks *frameworks, const void *value);
/* The same; a number with a fraction is rounded. */
struct measured cf_rounded(const struct frameworks *frameworks, const void *value);
/* A string, or data up to its first NUL, in the arena; bytes NULL for anything else. */
struct raw_text cf_text(const struct frameworks *frameworks, struct arena *arena,
                        const void *value);
/* All bytes of data, at most `limit`; bytes NULL for anything else. */
struct raw_text cf_data(const struct frameworks *frameworks, struct arena *arena, const void *value,
                        size_t limit);
/* What a dictionary has under a name; borrowed. NULL: nothing. */
const void *cf_get(const struct frameworks *frameworks, const void *dictionary, const char *name);

/* A property of a registry entry; the caller releases it. NULL: absent, or it could not be read. */
const void *registry_property(const struct frameworks *frameworks, uint32_t entry,
                              const char *name);
struct raw_text registry_text(const struct frameworks *frameworks, struct arena *arena,
                              uint32_t entry, const char *name);

#endif
