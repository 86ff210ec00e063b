#include "gpu/rocdxg/rocdxg_library.h"

#include <stdio.h>
#include <string.h>

static const char *const places[] = {
#define PLACE(path) path,
#include "gpu/rocdxg/places.def"
#undef PLACE
    NULL};

const char *const *rocdxg_places(void)
{
    return places;
}

const char *rocdxg_code_words(int code)
{
    switch (code) {
    case ROCDXG_OK:
        return "ok";
    case ROCDXG_NOT_SUPPORTED:
    case ROCDXG_NOT_IMPLEMENTED:
        return "not supported";
    case ROCDXG_UNAVAILABLE:
        return "not available now";
    case ROCDXG_NOT_OPENED:
    case ROCDXG_NO_COMMUNICATION:
        return "Windows' AMD driver does not answer";
    case ROCDXG_NO_FUNCTION:
        return "the library lacks the function";
    default:
        return "the call failed";
    }
}

static void set_words(struct rocdxg_opening *opening, int code, const char *words)
{
    opening->code = code;
    snprintf(opening->words, sizeof opening->words, "%.*s", ROCDXG_WORDS_SIZE - 1, words);
}

static void find_functions(struct rocdxg_library *library)
{
    void *address;
#define FUNCTION(name, symbol, arguments)                                                          \
    address = library_symbol(library->file, symbol);                                               \
    memcpy(&library->name, &address, sizeof address);
#include "gpu/rocdxg/functions.def"
#undef FUNCTION
}

/* A monitor is not worth a start of the library that has none to offer. */
static bool has_what_it_needs(const struct rocdxg_library *library)
{
    return library->open && library->acquire && library->device_count && library->vram_usage;
}

static bool load(struct rocdxg_library *library, const char *only, struct rocdxg_opening *opening)
{
    const char *const single[] = {only, NULL};
    const char *const *candidates = only && only[0] ? single : places;
    set_words(opening, ROCDXG_ERROR, "librocdxg.so.1 was not found");
    for (; *candidates && !library->file; candidates++) {
        struct problem problem = {""};
        library->file = library_open(*candidates, &problem);
        if (!library->file && only && only[0])
            set_words(opening, ROCDXG_ERROR, problem.text);
        if (library->file)
            snprintf(opening->path, sizeof opening->path, "%s", *candidates);
    }
    opening->loaded = library->file != NULL;
    return opening->loaded;
}

/* Acquiring the properties makes the library look for its devices; their nodes come after those of
 * the CPU. */
static bool find_nodes(struct rocdxg_library *library, struct rocdxg_opening *opening,
                       uint32_t nodes[ROCDXG_DEVICES_MAX], size_t *node_count)
{
    uint32_t properties[ROCDXG_PROPERTIES_SIZE] = {0}, count = 0;
    int code = library->acquire(properties);
    if (code == ROCDXG_OK)
        code = library->device_count(&count);
    if (code != ROCDXG_OK || count == 0) {
        set_words(opening, code != ROCDXG_OK ? code : ROCDXG_UNAVAILABLE,
                  code != ROCDXG_OK ? rocdxg_code_words(code) : "it finds no AMD GPU");
        return false;
    }
    uint32_t first = properties[0] > count ? properties[0] - count : 1;
    *node_count = count < ROCDXG_DEVICES_MAX ? count : ROCDXG_DEVICES_MAX;
    for (uint32_t i = 0; i < *node_count; i++)
        nodes[i] = first + i;
    return true;
}

bool rocdxg_library_open(struct rocdxg_library *library, const char *only,
                         struct rocdxg_opening *opening, uint32_t nodes[ROCDXG_DEVICES_MAX],
                         size_t *node_count)
{
    memset(library, 0, sizeof *library);
    memset(opening, 0, sizeof *opening);
    *node_count = 0;
    if (!load(library, only, opening))
        return false;
    find_functions(library);
    opening->has_monitoring = has_what_it_needs(library);
    if (!opening->has_monitoring) {
        set_words(opening, ROCDXG_NO_FUNCTION, "it has no functions for monitoring");
        return false;
    }
    int code = library->open();
    library->is_open = code == ROCDXG_OK || code == ROCDXG_ALREADY_OPENED;
    if (!library->is_open) {
        set_words(opening, code, rocdxg_code_words(code));
        return false;
    }
    set_words(opening, ROCDXG_OK, "");
    return find_nodes(library, opening, nodes, node_count);
}

void rocdxg_library_close(struct rocdxg_library *library)
{
    if (library->is_open && library->release)
        library->release();
    if (library->is_open && library->close)
        library->close();
    library->is_open = false;
    library_close(&library->file);
}
