#include "gpu/nvml/nvml_call.h"

#include <string.h>

static const char *const symbols[NVML_FUNCTION_COUNT][NVML_GENERATIONS] = {
#define FUNCTION(name, arguments, ...) [NVML_FUNCTION_##name] = {__VA_ARGS__},
#include "gpu/nvml/functions.def"
#undef FUNCTION
};

/* Every member is an array of as many function pointers: row by row, the struct is one table. */
_Static_assert(sizeof(struct nvml_functions) ==
                   sizeof(int (*)(void)) * NVML_GENERATIONS * NVML_FUNCTION_COUNT,
               "functions.def");
_Static_assert(sizeof(void *) == sizeof(int (*)(void)), "symbols are addresses");

void nvml_functions_find(struct nvml_functions *functions,
                         void *(*find)(void *context, const char *symbol), void *context)
{
    unsigned char *table = (unsigned char *)functions;
    for (size_t i = 0; i < NVML_FUNCTION_COUNT; i++)
        for (size_t generation = 0; generation < NVML_GENERATIONS; generation++) {
            const char *symbol = symbols[i][generation];
            void *address = symbol != NULL ? find(context, symbol) : NULL;
            memcpy(table + (i * NVML_GENERATIONS + generation) * sizeof address, &address,
                   sizeof address);
        }
}

static bool is_there(const struct nvml_calls *calls, enum nvml_function function, size_t generation)
{
    void *address = NULL;
    memcpy(&address,
           (const unsigned char *)calls->functions +
               ((size_t)function * NVML_GENERATIONS + generation) * sizeof address,
           sizeof address);
    return address != NULL;
}

void nvml_calls_start(struct nvml_calls *calls, const struct nvml_functions *functions)
{
    memset(calls, 0, sizeof *calls);
    calls->functions = functions;
    for (size_t i = 0; i < NVML_FUNCTION_COUNT; i++)
        if (!is_there(calls, (enum nvml_function)i, 0) &&
            !nvml_call_older(calls, (enum nvml_function)i))
            calls->calls[i].refused = NVML_FUNCTION_NOT_FOUND;
}

bool nvml_call_is_open(const struct nvml_calls *calls, enum nvml_function function)
{
    return calls->calls[function].refused == 0;
}

bool nvml_call_older(struct nvml_calls *calls, enum nvml_function function)
{
    struct nvml_call *call = &calls->calls[function];
    for (int next = call->generation + 1; next < NVML_GENERATIONS; next++)
        if (is_there(calls, function, (uint8_t)next)) {
            call->generation = (uint8_t)next;
            return true;
        }
    return false;
}

int nvml_call_begin(struct nvml_calls *calls, enum nvml_function function)
{
    if (calls->lost_code != 0)
        return calls->lost_code;
    if (calls->calls[function].refused != 0)
        return calls->calls[function].refused;
    return NVML_CALL_NOW;
}

/* These say that the symbol is there and its implementation is not, or not with this struct: R510
 * answered 13 to a wrong struct version. */
static bool asks_for_older(int status)
{
    return status == NVML_FUNCTION_NOT_FOUND || status == NVML_LIBRARY_NOT_FOUND ||
           status == NVML_ARGUMENT_VERSION_MISMATCH || status == NVML_DEPRECATED;
}

int nvml_call_end(struct nvml_calls *calls, enum nvml_function function, int status)
{
    struct nvml_call *call = &calls->calls[function];
    if (status < 0)
        status = NVML_UNKNOWN;
    if (status == NVML_OK)
        call->answered = true;
    if (status == NVML_GPU_IS_LOST || status == NVML_RESET_REQUIRED)
        calls->lost_code = status;
    if (status == NVML_UNINITIALIZED)
        calls->uninitialized = true;
    if (asks_for_older(status)) {
        if (nvml_call_older(calls, function))
            return NVML_CALL_NOW;
        call->refused = status;
    }
    /* What has answered before may answer again: a link or a fan that is off for now. */
    if (status == NVML_NOT_SUPPORTED && !call->answered)
        call->refused = status;
    return status;
}

enum reason nvml_reason(int status)
{
    switch (status) {
    case NVML_NOT_SUPPORTED:
    case NVML_LIBRARY_NOT_FOUND:
    case NVML_FUNCTION_NOT_FOUND:
    case NVML_ARGUMENT_VERSION_MISMATCH:
    case NVML_DEPRECATED:
        return REASON_not_supported;
    case NVML_NO_PERMISSION:
        return REASON_not_permitted;
    case NVML_GPU_IS_LOST:
    case NVML_RESET_REQUIRED:
        return REASON_device_lost;
    default:
        return REASON_call_failed;
    }
}

const char *nvml_code_words(int status)
{
    switch (status) {
    case 0:
        return "success";
    case 1:
        return "not initialised";
    case 2:
        return "invalid argument";
    case 3:
        return "not supported";
    case 4:
        return "no permission";
    case 6:
        return "not found";
    case 7:
        return "insufficient size";
    case 8:
        return "insufficient external power";
    case 9:
        return "driver not loaded";
    case 10:
        return "timeout";
    case 11:
        return "interrupt request problem";
    case 12:
        return "library not found";
    case 13:
        return "function not found";
    case 14:
        return "corrupted info ROM";
    case 15:
        return "GPU is lost (fell off the bus)";
    case 16:
        return "GPU needs a reset";
    case 17:
        return "blocked by the operating system";
    case 18:
        return "driver and library have different versions";
    case 20:
        return "out of memory";
    case 23:
        return "out of resources";
    case 25:
        return "argument version mismatch";
    case 27:
        return "not ready";
    case 28:
        return "GPU not found";
    default:
        return "unknown error";
    }
}

struct said nvml_said(int status, uint64_t value, int64_t scale, uint64_t largest)
{
    if (status != NVML_OK)
        return said_unknown(nvml_reason(status));
    if (value > largest)
        return said_unknown(REASON_incredible_value);
    return said_measured((int64_t)value * scale);
}

struct said nvml_said_generation(int status, uint32_t generation)
{
    if (status == NVML_OK && generation == 0)
        return said_unknown(REASON_not_reported);
    return nvml_said(status, generation, 1, 8);
}

struct said nvml_said_lanes(int status, uint32_t lanes)
{
    if (status == NVML_OK && lanes == 0)
        return said_unknown(REASON_not_reported);
    bool possible = lanes == 12 || (lanes & (lanes - 1)) == 0;
    return nvml_said(status, lanes, 1, possible ? 32 : 0);
}
