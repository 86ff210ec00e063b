/* ADL, AMD's library for its Windows driver: found, loaded and opened, in the helper process only.
 */
#ifndef GPU_ADL_LIBRARY_H
#define GPU_ADL_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu/adl/adl_abi.h"
#include "os/library.h"

enum {
    ADL_PATH_SIZE = 256,
    ADL_WORDS_SIZE = 256,
    ADL_INDEXES_MAX = 256, /* adapters as ADL counts them: 5 to 8 a card */
};

struct adl_library {
    struct library *file; /* NULL: not open */
    void *context;        /* NULL: ADL refused */
#define FUNCTION(name, symbol, arguments) int(*name) arguments;
#include "gpu/adl/functions.def"
#undef FUNCTION
};

/* What opening came to; also travels to the program. */
struct adl_opening {
    int code;    /* enum adl_code of the last call that was needed; 0: open */
    bool loaded; /* the library was there */
    bool fits;   /* and has the functions that are needed (drivers of 2019 and later) */
    char path[ADL_PATH_SIZE];
    char words[ADL_WORDS_SIZE]; /* for people, when it is not open */
};

/* Loads `only` (when not NULL and not empty) or atiadlxx.dll of the system, and opens it. False:
 * not open. */
bool adl_library_open(struct adl_library *library, const char *only, struct adl_opening *opening);
void adl_library_close(struct adl_library *library);

/* The adapters as ADL counts them now, into memory that the caller frees; NULL with the code. */
struct adl_adapter_info *adl_library_adapters(struct adl_library *library, size_t *count,
                                              int *code);

const char *adl_code_words(int code);
/* Opened, and of no use all the same. */
void adl_opening_fail(struct adl_opening *opening, int code);

extern const char adl_file_name[]; /* "atiadlxx.dll" */

#endif
