/* The NVML library: found, loaded and initialised, in the helper process only. */
#ifndef GPU_NVML_LIBRARY_H
#define GPU_NVML_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu/nvml/nvml_call.h"
#include "os/library.h"

enum { NVML_PATH_SIZE = 256, NVML_WORDS_SIZE = 256 };

/* What opening came to; also travels to the program. */
struct nvml_opening {
    int code;                    /* of the last nvmlInit; 0: initialised */
    bool loaded;                 /* some candidate could be loaded */
    char path[NVML_PATH_SIZE];   /* the candidate it is about, as the loader resolved it */
    char words[NVML_WORDS_SIZE]; /* for people, when code is not 0: the last reason */
    char driver_version[NVML_VERSION_TEXT_SIZE];
    char nvml_version[NVML_VERSION_TEXT_SIZE];
    /* Version in the file name (libnvidia-ml.so.570.124.04), the one there is when nvmlInit
     * refuses; "" when unknown. */
    char file_version[NVML_VERSION_TEXT_SIZE];
};

struct nvml_library {
    struct library *file; /* NULL: not open */
    struct nvml_functions functions;
    struct nvml_calls calls; /* those without a device */
};

/* Tries `only` (when not NULL and not empty) or the known places (nvml_door.h) in order. A
 * candidate without the five functions needed to start, or whose nvmlInit answers 9, 12 or 13, is
 * closed and the next one tried; the last reason is kept. False: not open. */
bool nvml_library_open(struct nvml_library *library, const char *only,
                       struct nvml_opening *opening);
/* nvmlShutdown and unload. */
void nvml_library_close(struct nvml_library *library);

/* The version at the end of ".so.VERSION"; "" when it has no dot. */
void nvml_version_of_file(const char *path, char *version, size_t size);

#endif
