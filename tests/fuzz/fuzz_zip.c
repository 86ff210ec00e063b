/* A zip archive of any bytes, as PyTorch writes them, and other files called .bin. */
#include "model_file_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_model_file("pytorch_model.bin", data, size);
}
