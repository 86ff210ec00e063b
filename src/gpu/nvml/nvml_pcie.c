#include "gpu/nvml/nvml_pcie.h"

#include <string.h>

/* 2 TB/s: more than a PCIe 7 x16 link. The slow call counts kilobytes. */
static const uint64_t largest_rate = 2000000000000U;
static const uint64_t largest_kilobytes = 2000000000U;
static const int64_t second_ns = 1000000000;

struct said nvml_byte_rate(const struct nvml_byte_counter *old, const struct nvml_byte_counter *new)
{
    if (!new->known)
        return said_unknown(REASON_call_failed);
    if (!old->known)
        return said_unknown(REASON_need_two_samples);
    int64_t running_ns = new->running_ns - old->running_ns;
    if (running_ns <= 0 || running_ns > INT64_MAX / 4)
        return said_unknown(REASON_need_two_samples);
    int64_t time_ns = running_ns;
    if (old->stamp_us > 0 &&
        new->stamp_us > old->stamp_us &&new->stamp_us - old->stamp_us < INT64_MAX / 1000) {
        int64_t driver_ns = (new->stamp_us - old->stamp_us) * 1000;
        if (driver_ns > running_ns - second_ns && driver_ns < running_ns + second_ns)
            time_ns = driver_ns;
    }
    uint64_t bytes = new->bytes - old->bytes;
    if (new->bytes < old->bytes) {
        if (!new->is_32_bits)
            return said_unknown(REASON_counter_not_monotonic);
        bytes &= UINT32_MAX;
    }
    double rate = (double)bytes * (double)second_ns / (double)time_ns;
    if (rate > (double)largest_rate)
        return said_unknown(REASON_incredible_value);
    return said_measured((int64_t)(rate + 0.5));
}

static struct nvml_byte_counter read_counter(const struct nvml_field_value *field,
                                             int64_t running_ns)
{
    struct nvml_byte_counter counter = {.running_ns = running_ns, .stamp_us = field->stamp_us};
    switch (field->value_type) {
    case NVML_VALUE_UINT:
        counter.bytes = field->value.u32;
        counter.is_32_bits = true;
        break;
    case NVML_VALUE_ULONG:
    case NVML_VALUE_ULONGLONG:
        counter.bytes = field->value.u64;
        break;
    default:
        return counter;
    }
    counter.known = field->status == NVML_OK;
    return counter;
}

/* False when the driver has no such fields, which only a first failure says. */
static bool read_counters(struct nvml_pcie *pcie, struct nvml_calls *calls, void *handle,
                          int64_t running_ns, struct said *tx, struct said *rx)
{
    struct nvml_field_value fields[2];
    memset(fields, 0, sizeof fields);
    fields[NVML_PCIE_TX].field = NVML_FIELD_PCIE_TX_BYTES;
    fields[NVML_PCIE_RX].field = NVML_FIELD_PCIE_RX_BYTES;
    int status;
    NVML_CALL(status, calls, field_values, handle, 2, fields);
    bool answered = status == NVML_OK && fields[0].status == NVML_OK && fields[1].status == NVML_OK;
    if (!answered && !pcie->has_counters)
        return false;
    if (answered)
        pcie->has_counters = true;
    else
        fields[0].status = fields[1].status = NVML_UNKNOWN;
    struct said *const out[2] = {[NVML_PCIE_TX] = tx, [NVML_PCIE_RX] = rx};
    for (int i = 0; i < 2; i++) {
        struct nvml_byte_counter now = read_counter(&fields[i], running_ns);
        *out[i] = nvml_byte_rate(&pcie->counters[i], &now);
        pcie->counters[i] = now;
    }
    return true;
}

static struct said read_slowly(struct nvml_calls *calls, void *handle, uint32_t direction)
{
    uint32_t kilobytes = 0;
    int status;
    NVML_CALL(status, calls, pcie_throughput, handle, direction, &kilobytes);
    return nvml_said(status, kilobytes, 1000, largest_kilobytes);
}

void nvml_pcie_read(struct nvml_pcie *pcie, struct nvml_calls *calls, void *handle,
                    int64_t running_ns, bool everything, struct said *tx, struct said *rx)
{
    if (!pcie->no_counters && read_counters(pcie, calls, handle, running_ns, tx, rx))
        return;
    pcie->no_counters = true;
    bool first = pcie->turn == 0;
    if (everything || first || pcie->turn % 2 == 0)
        *tx = read_slowly(calls, handle, NVML_PCIE_TX);
    if (everything || first || pcie->turn % 2 == 1)
        *rx = read_slowly(calls, handle, NVML_PCIE_RX);
    pcie->turn++;
}

void nvml_pcie_rest(struct nvml_pcie *pcie)
{
    pcie->counters[NVML_PCIE_TX].known = pcie->counters[NVML_PCIE_RX].known = false;
}
