/* PCIe throughput of a device: differences of two wrapping byte counters where the driver has them
 * (R570 and later), else the call that measures for 20 ms. Asked only while somebody looks. */
#ifndef GPU_NVML_PCIE_H
#define GPU_NVML_PCIE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/nvml/nvml_call.h"
#include "reading/measured.h"

struct nvml_byte_counter {
    bool known;
    uint64_t bytes;
    bool is_32_bits;
    int64_t stamp_us;   /* the driver's */
    int64_t running_ns; /* of the request */
};

struct nvml_pcie {
    bool has_counters, no_counters;       /* the fields have answered, or were refused at first */
    struct nvml_byte_counter counters[2]; /* by NVML_PCIE_TX, NVML_PCIE_RX */
    uint64_t turn;                        /* of the slow call: one direction a refresh */
};

/* Bytes a second between two readings of one counter; `old` unknown gives need_two_samples. The
 * time between is the driver's, unless its wall clock jumped against the running clock. Pure. */
struct said nvml_byte_rate(const struct nvml_byte_counter *old,
                           const struct nvml_byte_counter *new);

/* Nobody looks any more: the next rate begins anew. */
void nvml_pcie_rest(struct nvml_pcie *pcie);

/* Fills both rates. `everything`: both directions of the slow call. */
void nvml_pcie_read(struct nvml_pcie *pcie, struct nvml_calls *calls, void *handle,
                    int64_t running_ns, bool everything, struct said *tx, struct said *rx);

#endif
