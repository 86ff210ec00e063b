/* What decides by a file's head: engines, ggml files, and an index of safetensors. */
#include "model_file_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_model_file("m.safetensors.index.json", data, size);
}
