/* A GGUF file of any bytes, alone or as the first part of two. */
#include "model_file_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_model_file("m-00001-of-00002.gguf", data, size);
}
