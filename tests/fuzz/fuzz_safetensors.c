/* A safetensors file of any bytes, its config.json of the same. */
#include "model_file_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_model_file("m.safetensors", data, size);
}
