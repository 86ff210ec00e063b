/* A search for the adapter behind a runtime's device name. Private to inspect/devices.h. */
#ifndef INSPECT_DEVICE_SEARCH_H
#define INSPECT_DEVICE_SEARCH_H

#include "inspect/devices.h"
#include "reading/measured.h"

enum { DEVICE_CANDIDATES_MAX = 64 };

/* A runtime's devices and whose adapters they can be; vendor NULL: anybody's. */
struct device_family {
    const char *name, *vendor;
};

/* What the name says, and the adapters that it can mean, in the order of their addresses. */
struct device_search {
    const struct device_scene *scene;
    const struct device_family *family;
    struct measured index; /* of "CUDA1"; unknown where the name has none */
    struct raw_text name;  /* without _Mapped and the like */
    const struct load_device *logged;
    const struct adapter *candidates[DEVICE_CANDIDATES_MAX];
    size_t count;
};

/* `why` is static. */
struct device_found device_ambiguous(const char *why);
struct device_found device_on(const struct adapter *adapter, const char *why);

/* By the variables of its environment, else by the runtime's own order. There are candidates. */
struct device_found device_by_order(const struct device_search *search);
/* The device that one word of a *_VISIBLE_DEVICES list names: an index, or the start of an id. */
struct device_found device_by_word(const struct device_search *search, struct raw_text word);
/* The word at `index`; a word that names nothing ends CUDA's list. False: there is none. */
bool device_word_at(struct raw_text list, int64_t index, struct raw_text *word);

/* ASCII letters alike; an empty start is never found. */
bool raw_starts_folded(struct raw_text raw, struct raw_text start);

#endif
