/* Runtimes by the libraries that a process has mapped. Pure. */
#ifndef INSPECT_RUNTIMES_H
#define INSPECT_RUNTIMES_H

#include <stddef.h>

#include "base/text.h"
#include "snapshot/snapshot.h"

enum { RUNTIMES_FOUND_MAX = 8 };

struct runtime_found {
    const char *name;         /* "llama.cpp": static */
    enum process_class class; /* CLASS_OTHER: says nothing */
    struct raw_text library;  /* the path that proves it */
};

/* Each runtime once, in the order of runtimes.def; returns how many. */
size_t runtimes_find(const struct raw_text *libraries, size_t count,
                     struct runtime_found found[RUNTIMES_FOUND_MAX]);
/* The name of the ggml backend that these libraries make available, as its devices are called:
 * "CUDA", "ROCm", "Vulkan", "SYCL", "MTL"; NULL: none, the program computes on the CPU. A static
 * build shows it by the vendor's library. */
const char *runtimes_ggml_backend(const struct raw_text *libraries, size_t count);

#endif
