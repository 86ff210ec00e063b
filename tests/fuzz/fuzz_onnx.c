/* An ONNX file of any bytes. */
#include "model_file_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_model_file("m.onnx", data, size);
}
