/* What NVML said about the processes of one device: its lists and its load samples, unmerged. */
#ifndef READING_NVML_PROCESS_H
#define READING_NVML_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reading/measured.h"
#include "reading/pass.h"

enum nvml_list { NVML_LIST_COMPUTE, NVML_LIST_GRAPHICS, NVML_LIST_MPS, NVML_LIST_COUNT };

/* One entry of one list, in the list's order. */
struct nvml_listed_process {
    char
        adapter_id[ADAPTER_ID_SIZE]; /* the device, or its MIG instance where the entry names one */
    enum nvml_list list;
    int64_t pid; /* as NVML says: of the host, or translated */
    struct measured memory_bytes;
};

/* The newest load sample of a pid since the last call. */
struct nvml_process_sample {
    char adapter_id[ADAPTER_ID_SIZE];
    int64_t pid;
    int64_t stamp_us; /* the driver's wall clock */
    /* Percent. A sample with any field above 100 is not credible: all of them incredible_value. */
    struct measured sm, memory, encode, decode, jpeg, ofa;
};

#endif
