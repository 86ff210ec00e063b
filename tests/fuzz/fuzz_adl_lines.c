/* The answer of the adl helper and the request to it, what its table of sensors may hold, and the
 * names that Windows gives devices: the readers are total. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "gpu/adl/adl_lines.h"
#include "gpu/adl/adl_sensors.h"
#include "gpu/helper/hardware_id.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read can be written, and what was written is read. */
static void write_and_read(const struct adl_answer *answer, struct arena *arena)
{
    static struct adl_device devices[ADL_CARDS_MAX];
    struct record_lines lines = {0};
    struct adl_answer again;
    for (size_t i = 0; i < answer->adapter_count; i++)
        devices[i].said = answer->adapters[i];
    adl_answer_write(&answer->opening, devices, answer->adapter_count, &lines);
    if (!adl_answer_read((struct raw_text){lines.items, lines.count}, arena, &again) ||
        again.adapter_count != answer->adapter_count)
        abort();
    VECTOR_FREE(&lines);
}

static void read_sensors(const uint8_t *data, size_t size)
{
    struct adl_log log = {0};
    struct adapter_reading said = {0};
    bool with_cpu;
    memcpy(&log, data, size < sizeof log ? size : sizeof log);
    adl_sensors_read(&log, size % 2, &said, &with_cpu);
    if (said.load_millipercent.value < 0 || said.load_millipercent.value > 100000)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct raw_text raw = {(const char *)data, size};
    struct arena *arena = arena_new();
    struct adl_answer answer;
    struct adl_request request;
    struct hardware_id id;
    if (adl_answer_read(raw, arena, &answer))
        write_and_read(&answer, arena);
    adl_request_read(raw, &request);
    if (hardware_id_parse(raw.bytes, raw.length, &id) && id.vendor > 0xffff)
        abort();
    read_sensors(data, size);
    arena_free(&arena);
    return 0;
}
