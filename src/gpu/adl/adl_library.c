#include "gpu/adl/adl_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

const char adl_file_name[] = "atiadlxx.dll";

enum { ALLOCATION_MAX = 16 << 20 };

const char *adl_code_words(int code)
{
    switch (code) {
    case ADL_OK:
        return "ok";
    case ADL_NOT_SUPPORTED:
        return "not supported";
    case ADL_NOT_INITIALISED:
        return "AMD's driver is not running";
    case ADL_INVALID_INDEX:
    case ADL_DISABLED_ADAPTER:
        return "the adapter is disabled or gone";
    case ADL_NO_FUNCTION:
        return "the library lacks the function";
    default:
        return "the call failed";
    }
}

static void set_words(struct adl_opening *opening, int code, const char *words)
{
    opening->code = code;
    snprintf(opening->words, sizeof opening->words, "%.*s", ADL_WORDS_SIZE - 1, words);
}

void adl_opening_fail(struct adl_opening *opening, int code)
{
    set_words(opening, code, adl_code_words(code));
}

static void find_functions(struct adl_library *library)
{
    void *address;
#define FUNCTION(name, symbol, arguments)                                                          \
    address = library_symbol(library->file, symbol);                                               \
    memcpy(&library->name, &address, sizeof address);
#include "gpu/adl/functions.def"
#undef FUNCTION
}

/* For what the library allocates on our behalf. */
static void *allocate(int size)
{
    return size > 0 && size <= ALLOCATION_MAX ? malloc((size_t)size) : NULL;
}

bool adl_library_open(struct adl_library *library, const char *only, struct adl_opening *opening)
{
    struct problem problem = {""};
    const char *file = only && only[0] ? only : adl_file_name;
    memset(library, 0, sizeof *library);
    memset(opening, 0, sizeof *opening);
    snprintf(opening->path, sizeof opening->path, "%.*s", ADL_PATH_SIZE - 1, file);
    library->file = library_open(file, &problem);
    opening->loaded = library->file != NULL;
    if (!opening->loaded) {
        set_words(opening, ADL_ERROR, problem.text);
        return false;
    }
    find_functions(library);
    opening->fits =
        library->create && library->adapter_count && library->adapter_info && library->log;
    if (!opening->fits) {
        set_words(opening, ADL_NO_FUNCTION, "it has no functions for sensors");
        return false;
    }
    /* 1: only adapters that are there, not those that the registry remembers. */
    int code = library->create(allocate, 1, &library->context);
    if (code < ADL_OK || !library->context) {
        library->context = NULL;
        set_words(opening, code < ADL_OK ? code : ADL_ERROR, adl_code_words(code));
        return false;
    }
    set_words(opening, ADL_OK, "");
    return true;
}

void adl_library_close(struct adl_library *library)
{
    if (library->context && library->destroy)
        library->destroy(library->context);
    library->context = NULL;
    library_close(&library->file);
}

struct adl_adapter_info *adl_library_adapters(struct adl_library *library, size_t *count, int *code)
{
    int said = 0;
    *count = 0;
    *code = library->adapter_count(library->context, &said);
    if (*code < ADL_OK || said <= 0)
        return NULL;
    if (said > ADL_INDEXES_MAX)
        said = ADL_INDEXES_MAX;
    size_t size = (size_t)said * sizeof(struct adl_adapter_info);
    struct adl_adapter_info *infos = memory_new(size);
    *code = library->adapter_info(library->context, infos, (int)size);
    if (*code < ADL_OK) {
        free(infos);
        return NULL;
    }
    *count = (size_t)said;
    return infos;
}
