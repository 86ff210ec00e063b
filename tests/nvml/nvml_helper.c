/* The NVML helper as a program of its own, for tests that talk to it over pipes. */
#include "gpu/nvml/nvml_serve.h"

int main(void)
{
    return nvml_serve();
}
