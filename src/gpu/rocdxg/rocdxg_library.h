/* librocdxg: AMD's library for ROCm in WSL, found, loaded and opened, in the helper process only.
 */
#ifndef GPU_ROCDXG_LIBRARY_H
#define GPU_ROCDXG_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/rocdxg/rocdxg_abi.h"
#include "os/library.h"

enum { ROCDXG_PATH_SIZE = 256, ROCDXG_WORDS_SIZE = 256, ROCDXG_DEVICES_MAX = 16 };

struct rocdxg_library {
    struct library *file; /* NULL: not open */
    bool is_open;         /* it talks to Windows */
#define FUNCTION(name, symbol, arguments) int(*name) arguments;
#include "gpu/rocdxg/functions.def"
#undef FUNCTION
};

/* What opening came to; also travels to the program. */
struct rocdxg_opening {
    int code;    /* enum rocdxg_code of the last call that was needed; 0: open */
    bool loaded; /* some candidate could be loaded */
    bool has_monitoring;
    char path[ROCDXG_PATH_SIZE];
    char words[ROCDXG_WORDS_SIZE]; /* for people, when it is not open */
};

/* The known places, NULL-terminated. */
const char *const *rocdxg_places(void);

/* Tries `only` (when not NULL and not empty) or the known places in order, opens the first that can
 * be loaded and finds its devices: `nodes` holds the number of each. False: not open. */
bool rocdxg_library_open(struct rocdxg_library *library, const char *only,
                         struct rocdxg_opening *opening, uint32_t nodes[ROCDXG_DEVICES_MAX],
                         size_t *node_count);
void rocdxg_library_close(struct rocdxg_library *library);

const char *rocdxg_code_words(int code);

#endif
