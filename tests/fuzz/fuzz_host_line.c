/* Lines of the Windows helper in WSL, and what is made of their counters. */
#include <stdint.h>
#include <stdlib.h>

#include "gpu/wddm/host_line.h"
#include "gpu/wddm/instance.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_list(const struct wddm_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (!list->read || list->items[i].pid < 0 ||
            (list->items[i].bytes.known && list->items[i].bytes.value < 0))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new();
    struct raw_text line = {(const char *)data, size};
    struct host_line parsed;
    host_line_parse(line, arena, &parsed);
    for (int i = 0; i < WDDM_PROCESS_LIST_COUNT; i++)
        check_list(&parsed.sample.process[i]);
    for (int i = 0; i < WDDM_ADAPTER_LIST_COUNT; i++)
        check_list(&parsed.sample.adapter[i]);
    for (size_t i = 0; i < parsed.sample.engine_count; i++)
        if (parsed.sample.engines[i].column >= ENGINE_COUNT)
            abort();
    struct wddm_instance instance;
    if (wddm_instance_parse(line, &instance) && instance.has_engine &&
        wddm_engine_column(instance.type) >= ENGINE_COUNT)
        abort();
    arena_free(&arena);
    return 0;
}
