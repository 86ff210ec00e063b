/* The answer of the rocdxg helper and the request to it, and the description that its library
 * writes: the readers are total. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "gpu/rocdxg/rocdxg_device.h"
#include "gpu/rocdxg/rocdxg_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read can be written, and what was written is read. */
static void write_and_read(const struct rocdxg_opening *opening, struct adapter_reading *adapters,
                           size_t count, struct arena *arena)
{
    struct rocdxg_answer answer = {.opening = *opening, .adapter_count = count};
    struct rocdxg_opening opening_again;
    struct adapter_reading *adapters_again;
    struct record_lines lines = {0};
    size_t count_again;
    for (size_t i = 0; i < count; i++)
        answer.adapters[i] = &adapters[i];
    rocdxg_answer_write(&answer, &lines);
    if (!rocdxg_answer_read((struct raw_text){lines.items, lines.count}, arena, &opening_again,
                            &adapters_again, &count_again) ||
        count_again != count)
        abort();
    VECTOR_FREE(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct raw_text raw = {(const char *)data, size};
    struct arena *arena = arena_new();
    struct rocdxg_opening opening;
    struct adapter_reading *adapters;
    struct rocdxg_request request;
    struct rocdxg_device_info info;
    size_t count;
    if (rocdxg_answer_read(raw, arena, &opening, &adapters, &count))
        write_and_read(&opening, adapters, count, arena);
    rocdxg_request_read(raw, &request);
    memset(&info, 0, sizeof info);
    memcpy(&info, data, size < sizeof info ? size : sizeof info);
    rocdxg_device_info_align(&info);
    arena_free(&arena);
    return 0;
}
