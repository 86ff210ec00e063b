/* The answer of the NVML helper and the request to it: the reader is total. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/vector.h"
#include "gpu/nvml/nvml_lines.h"
#include "gpu/nvml/nvml_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read can be written, and what was written is read. */
static void write_and_read(const struct nvml_answer *answer, struct arena *arena)
{
    struct record_lines lines = {0};
    struct nvml_answer again;
    nvml_answer_write(answer, &lines);
    if (!nvml_answer_read((struct raw_text){lines.items, lines.count}, arena, &again) ||
        again.adapters.count != answer->adapters.count ||
        again.listed.count != answer->listed.count || again.samples.count != answer->samples.count)
        abort();
    VECTOR_FREE(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct raw_text raw = {(const char *)data, size};
    struct arena *arena = arena_new();
    struct nvml_answer answer;
    struct nvml_request request;
    char version[32];
    if (nvml_answer_read(raw, arena, &answer))
        write_and_read(&answer, arena);
    nvml_request_read(raw, &request);
    nvml_module_version_of(raw, version, sizeof version);
    arena_free(&arena);
    return 0;
}
