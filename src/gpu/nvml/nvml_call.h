/* Calling NVML: the functions a library offers, by generation, and what is remembered of them. A
 * missing symbol is a missing reading, never a failed start; NOT_SUPPORTED is remembered for each
 * device and function; FUNCTION_NOT_FOUND and a refused argument version lead to the next older
 * symbol. */
#ifndef GPU_NVML_CALL_H
#define GPU_NVML_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/nvml/nvml_abi.h"
#include "reading/measured.h"

enum { NVML_GENERATIONS = 3 };

enum nvml_function {
#define FUNCTION(name, arguments, ...) NVML_FUNCTION_##name,
#include "gpu/nvml/functions.def"
#undef FUNCTION
    NVML_FUNCTION_COUNT
};

/* name[0] is the newest symbol; NULL where the library has none. */
struct nvml_functions {
#define FUNCTION(name, arguments, ...) int(*name[NVML_GENERATIONS]) arguments;
#include "gpu/nvml/functions.def"
#undef FUNCTION
};

/* Fills the table. `find` gives the address of a symbol or NULL. */
void nvml_functions_find(struct nvml_functions *functions,
                         void *(*find)(void *context, const char *symbol), void *context);

/* What one device (or the library) has answered to one function so far. */
struct nvml_call {
    uint8_t generation; /* the symbol in use */
    bool answered;      /* has succeeded before */
    int refused;        /* a code that is final for this device; 0: none */
};

struct nvml_calls {
    const struct nvml_functions *functions;
    struct nvml_call calls[NVML_FUNCTION_COUNT];
    int lost_code;      /* NVML_GPU_IS_LOST or NVML_RESET_REQUIRED once a call said so; 0 before */
    bool uninitialized; /* a call answered that the library must be initialised again */
};

void nvml_calls_start(struct nvml_calls *calls, const struct nvml_functions *functions);

enum { NVML_CALL_NOW = -1 };
/* NVML_CALL_NOW when the function is to be called, else the code that stands for it. */
int nvml_call_begin(struct nvml_calls *calls, enum nvml_function function);
/* Remembers what it answered; NVML_CALL_NOW when the next older symbol is to be called. */
int nvml_call_end(struct nvml_calls *calls, enum nvml_function function, int status);
/* Goes to the next older symbol for the rest of the run; false when there is none. */
bool nvml_call_older(struct nvml_calls *calls, enum nvml_function function);
/* True when the library has the function in some generation and it was not refused for good. */
bool nvml_call_is_open(const struct nvml_calls *calls, enum nvml_function function);

/* Calls functions->name through its generations; `status` receives the final code. */
#define NVML_CALL(status, of, name, ...)                                                           \
    do {                                                                                           \
        (status) = nvml_call_begin((of), NVML_FUNCTION_##name);                                    \
        while ((status) == NVML_CALL_NOW) {                                                        \
            (status) =                                                                             \
                (of)->functions->name[(of)->calls[NVML_FUNCTION_##name].generation](__VA_ARGS__);  \
            (status) = nvml_call_end((of), NVML_FUNCTION_##name, (status));                        \
        }                                                                                          \
    } while (0)

/* Why a figure is unavailable when its call answered this code. */
enum reason nvml_reason(int status);
/* NVML's own words for a code, without asking the library. Static. */
const char *nvml_code_words(int status);

/* A figure from a call: value * scale, or unknown with the reason. A value above `largest` cannot
 * be true. */
struct said nvml_said(int status, uint64_t value, int64_t scale, uint64_t largest);
/* PCIe generation and lanes; 0 (virtual machines) means that there is no link to speak of. */
struct said nvml_said_generation(int status, uint32_t generation);
struct said nvml_said_lanes(int status, uint32_t lanes);

#endif
