#include <string.h>
#include <windows.h>

#include "gpu/wddm/d3dkmt_facts.h"
#include "gpu/wddm/windows/d3dkmt_libraries.h"
#include "os/library.h"

static bool find_calls(struct library *library, struct d3dkmt_calls *calls)
{
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"D3DKMTEnumAdapters3", &calls->enum3},    {"D3DKMTEnumAdapters2", &calls->enum2},
        {"D3DKMTQueryAdapterInfo", &calls->query}, {"D3DKMTOpenAdapterFromLuid", &calls->open},
        {"D3DKMTCloseAdapter", &calls->close},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *address = library_symbol(library, functions[i].name);
        memcpy(functions[i].place, &address, sizeof address);
    }
    return calls->enum2 && calls->query && calls->close;
}

/* Loading gdi32 brings user32 and more along, milliseconds: once it is in the process it stays. */
static void keep_loaded(const struct d3dkmt_calls *calls)
{
    HMODULE module;
    void *address;
    memcpy(&address, &calls->query, sizeof address);
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
                       (LPCWSTR)address, &module);
}

/* NULL: no such functions. */
static struct library *open_calls(struct d3dkmt_calls *calls)
{
    for (size_t i = 0; d3dkmt_libraries[i]; i++) {
        struct problem problem;
        struct library *library = library_open(d3dkmt_libraries[i], &problem);
        if (library && find_calls(library, calls)) {
            keep_loaded(calls);
            return library;
        }
        library_close(&library);
    }
    return NULL;
}

bool adapter_facts_list(struct arena *arena, struct adapter_facts_list *list)
{
    struct d3dkmt_calls calls;
    struct library *library = open_calls(&calls);
    *list = (struct adapter_facts_list){NULL, 0};
    bool told = library && d3dkmt_list(&calls, arena, list);
    library_close(&library);
    return told;
}

bool adapter_facts_perf(uint64_t luid, uint32_t physical, struct adapter_perf *perf)
{
    struct d3dkmt_calls calls;
    struct library *library = open_calls(&calls);
    *perf = (struct adapter_perf){0};
    bool told = library && d3dkmt_perf(&calls, luid, physical, perf);
    library_close(&library);
    return told;
}

void adapter_facts_clocks(uint64_t luid, uint32_t physical, struct measured *now_hz,
                          struct measured *most_hz)
{
    struct d3dkmt_calls calls;
    struct library *library = open_calls(&calls);
    *now_hz = *most_hz = measured_unknown(REASON_not_supported);
    if (library)
        d3dkmt_clocks(&calls, luid, physical, now_hz, most_hz);
    library_close(&library);
}
