#include <string.h>

#include "gpu/nvml/nvml_device.h"
#include "gpu/nvml/nvml_memory.h"

/* Beyond these a value is not of this world: 0xFFFFFFFF, 65535 degrees. */
enum {
    PERCENT_LARGEST = 100,
    FAN_LARGEST = 500, /* percent of the intended maximum: may pass 100 */
    CELSIUS_LARGEST = 200,
    MILLIWATTS_LARGEST = 10000000,
    MEGAHERTZ_LARGEST = 100000,
};

static const struct {
    uint32_t bit;
    const char *name;
} throttles[] = {
#define THROTTLE(bit, name) {bit, name},
#include "gpu/nvml/throttle.def"
#undef THROTTLE
};

static void read_memory(struct nvml_device *device)
{
    if (!device->said.unified)
        nvml_read_memory(&device->calls, device->handle, &device->said);
    if (!device->kind_known) {
        nvml_device_read_kind(device);
        device->kind_known = true;
    }
    /* On a unified GPU a total, where there is one, is the system's memory and no VRAM. */
    if (device->said.unified)
        nvml_memory_unknown(REASON_unified_memory_not_counted, &device->said);
}

static void read_load(struct nvml_device *device)
{
    struct adapter_reading *said = &device->said;
    struct nvml_utilization load = {0, 0};
    int status;
    if (device->mig_on) {
        said->load_millipercent = said_unknown(REASON_mig_enabled);
        said->memory_activity_millipercent = said_unknown(REASON_mig_enabled);
        return;
    }
    NVML_CALL(status, &device->calls, utilization, device->handle, &load);
    said->load_millipercent = nvml_said(status, load.gpu_percent, 1000, PERCENT_LARGEST);
    said->memory_activity_millipercent =
        nvml_said(status, load.memory_percent, 1000, PERCENT_LARGEST);
}

static bool is_at_work(struct said figure)
{
    return figure.how != HOW_UNAVAILABLE && figure.value > 0;
}

static void read_engines(struct nvml_device *device, const struct nvml_request *request)
{
    struct said *engines = device->said.engine_millipercent;
    uint32_t value = 0, period_us = 0;
    int status;
    if (device->mig_on) {
        engines[ENGINE_encode] = engines[ENGINE_decode] = said_unknown(REASON_mig_enabled);
        engines[ENGINE_jpeg] = engines[ENGINE_ofa] = said_unknown(REASON_mig_enabled);
        return;
    }
    if (nvml_device_is_due(device, NVML_CADENCE_video_engines, request) || device->video_busy) {
        NVML_CALL(status, &device->calls, encoder, device->handle, &value, &period_us);
        engines[ENGINE_encode] = nvml_said(status, value, 1000, PERCENT_LARGEST);
        value = 0;
        NVML_CALL(status, &device->calls, decoder, device->handle, &value, &period_us);
        engines[ENGINE_decode] = nvml_said(status, value, 1000, PERCENT_LARGEST);
        device->video_busy =
            is_at_work(engines[ENGINE_encode]) || is_at_work(engines[ENGINE_decode]);
    }
    if (nvml_device_is_due(device, NVML_CADENCE_other_engines, request) ||
        device->other_engines_busy) {
        value = 0;
        NVML_CALL(status, &device->calls, jpeg, device->handle, &value, &period_us);
        engines[ENGINE_jpeg] = nvml_said(status, value, 1000, PERCENT_LARGEST);
        value = 0;
        NVML_CALL(status, &device->calls, ofa, device->handle, &value, &period_us);
        engines[ENGINE_ofa] = nvml_said(status, value, 1000, PERCENT_LARGEST);
        device->other_engines_busy =
            is_at_work(engines[ENGINE_jpeg]) || is_at_work(engines[ENGINE_ofa]);
    }
}

static void read_temperature(struct nvml_device *device)
{
    struct said *edge = &device->said.temperature_millicelsius[TEMPERATURE_EDGE];
    struct nvml_temperature_v1 newer = {.version =
                                            NVML_STRUCT_VERSION(struct nvml_temperature_v1, 1)};
    int status;
    NVML_CALL(status, &device->calls, temperature_v1, device->handle, &newer);
    if (status == NVML_OK) {
        bool credible = newer.celsius > -CELSIUS_LARGEST && newer.celsius <= CELSIUS_LARGEST;
        *edge = credible ? said_measured((int64_t)newer.celsius * 1000)
                         : said_unknown(REASON_incredible_value);
        return;
    }
    uint32_t celsius = 0;
    NVML_CALL(status, &device->calls, temperature, device->handle, 0, &celsius);
    *edge = nvml_said(status, celsius, 1000, CELSIUS_LARGEST);
}

static void read_clock(struct nvml_device *device, enum clock_domain domain, uint32_t theirs)
{
    uint32_t megahertz = 0;
    int status;
    NVML_CALL(status, &device->calls, clock, device->handle, theirs, &megahertz);
    device->said.clock_hz[domain] = nvml_said(status, megahertz, 1000000, MEGAHERTZ_LARGEST);
}

static void read_fan(struct nvml_device *device)
{
    uint32_t value = 0;
    int status;
    NVML_CALL(status, &device->calls, fan_of, device->handle, 0, &value);
    if (status != NVML_OK && !nvml_call_is_open(&device->calls, NVML_FUNCTION_fan_of))
        NVML_CALL(status, &device->calls, fan, device->handle, &value);
    device->said.fan_millipercent = nvml_said(status, value, 1000, FAN_LARGEST);
}

static uint64_t field_integer(const struct nvml_field_value *field)
{
    switch (field->value_type) {
    case NVML_VALUE_UINT:
    case NVML_VALUE_INT:
        return field->value.u32;
    case NVML_VALUE_ULONG:
    case NVML_VALUE_ULONGLONG:
    case NVML_VALUE_SLONGLONG:
        return field->value.u64;
    case NVML_VALUE_USHORT:
        return field->value.u16;
    default:
        return UINT64_MAX;
    }
}

static void read_fields(struct nvml_device *device)
{
    struct nvml_field_value fields[2];
    memset(fields, 0, sizeof fields);
    fields[0].field = NVML_FIELD_MEMORY_TEMPERATURE;
    fields[1].field = NVML_FIELD_TOTAL_ENERGY;
    int status;
    NVML_CALL(status, &device->calls, field_values, device->handle, 2, fields);
    for (int i = 0; i < 2 && status != NVML_OK; i++)
        fields[i].status = status;
    device->said.temperature_millicelsius[TEMPERATURE_MEMORY] =
        nvml_said(fields[0].status, field_integer(&fields[0]), 1000, CELSIUS_LARGEST);
    device->said.energy_microjoules =
        nvml_said(fields[1].status, field_integer(&fields[1]), 1000, INT64_MAX / 1000);
}

static void read_throttle(struct nvml_device *device)
{
    struct adapter_reading *said = &device->said;
    uint64_t bits = 0;
    int status;
    NVML_CALL(status, &device->calls, throttle_reasons, device->handle, &bits);
    said->throttle_count = 0;
    said->throttle_how = status == NVML_OK ? HOW_MEASURED : HOW_UNAVAILABLE;
    said->throttle_why_not = status == NVML_OK ? REASON_not_reported : nvml_reason(status);
    for (size_t i = 0; status == NVML_OK && i < sizeof throttles / sizeof throttles[0]; i++)
        if (bits & throttles[i].bit)
            said->throttle_reasons[said->throttle_count++] = raw_from_string(throttles[i].name);
}

static void read_link(struct nvml_device *device)
{
    struct adapter_reading *said = &device->said;
    uint32_t value = 0;
    int status;
    NVML_CALL(status, &device->calls, link_generation, device->handle, &value);
    said->pcie_generation = nvml_said_generation(status, value);
    value = 0;
    NVML_CALL(status, &device->calls, link_width, device->handle, &value);
    said->pcie_width = nvml_said_lanes(status, value);
}

static void read_performance_state(struct nvml_device *device)
{
    uint32_t value = 0;
    int status;
    NVML_CALL(status, &device->calls, performance_state, device->handle, &value);
    /* 32 is NVML's "unknown". */
    if (status == NVML_OK && value > NVML_PERFORMANCE_STATE_LAST)
        status = NVML_NOT_SUPPORTED;
    device->said.performance_state = nvml_said(status, value, 1, NVML_PERFORMANCE_STATE_LAST);
}

static void read_limits(struct nvml_device *device)
{
    uint32_t value = 0;
    int status;
    NVML_CALL(status, &device->calls, power_limit, device->handle, &value);
    device->said.power_limit_microwatts = nvml_said(status, value, 1000, MILLIWATTS_LARGEST);
    uint32_t active = 0;
    NVML_CALL(status, &device->calls, display_active, device->handle, &active);
    device->display_active = status == NVML_OK && active != 0;
    if (!device->has_ecc)
        return;
    uint64_t errors = 0;
    NVML_CALL(status, &device->calls, ecc_errors, device->handle, NVML_ECC_CORRECTED,
              NVML_ECC_VOLATILE, &errors);
    device->said.ecc_corrected = nvml_said(status, errors, 1, INT64_MAX);
    NVML_CALL(status, &device->calls, ecc_errors, device->handle, NVML_ECC_UNCORRECTED,
              NVML_ECC_VOLATILE, &errors);
    device->said.ecc_uncorrected = nvml_said(status, errors, 1, INT64_MAX);
}

static void read_pcie_rates(struct nvml_device *device, const struct nvml_request *request)
{
    struct said *tx = &device->said.pcie_tx_bytes_per_second;
    struct said *rx = &device->said.pcie_rx_bytes_per_second;
    if (request->pcie_rates) {
        nvml_pcie_read(&device->pcie, &device->calls, device->handle, request->running_ns,
                       request->everything, tx, rx);
        return;
    }
    nvml_pcie_rest(&device->pcie);
    *tx = *rx = said_unknown(REASON_not_reported);
}

static void read_slow_figures(struct nvml_device *device, const struct nvml_request *request)
{
    if (nvml_device_is_due(device, NVML_CADENCE_throttle, request))
        read_throttle(device);
    if (nvml_device_is_due(device, NVML_CADENCE_fan, request))
        read_fan(device);
    if (nvml_device_is_due(device, NVML_CADENCE_fields, request))
        read_fields(device);
    if (nvml_device_is_due(device, NVML_CADENCE_link, request))
        read_link(device);
    if (nvml_device_is_due(device, NVML_CADENCE_performance_state, request))
        read_performance_state(device);
    if (nvml_device_is_due(device, NVML_CADENCE_other_clocks, request)) {
        read_clock(device, CLOCK_SM, NVML_CLOCK_SM);
        read_clock(device, CLOCK_VIDEO, NVML_CLOCK_VIDEO);
    }
    if (nvml_device_is_due(device, NVML_CADENCE_limits, request))
        read_limits(device);
}

void nvml_device_read_figures(struct nvml_device *device, const struct nvml_request *request)
{
    uint32_t milliwatts = 0;
    int status;
    read_memory(device);
    read_load(device);
    read_engines(device, request);
    if (nvml_device_is_due(device, NVML_CADENCE_temperature, request))
        read_temperature(device);
    if (nvml_device_is_due(device, NVML_CADENCE_power, request)) {
        NVML_CALL(status, &device->calls, power, device->handle, &milliwatts);
        device->said.power_microwatts = nvml_said(status, milliwatts, 1000, MILLIWATTS_LARGEST);
    }
    if (nvml_device_is_due(device, NVML_CADENCE_main_clocks, request)) {
        read_clock(device, CLOCK_GRAPHICS, NVML_CLOCK_GRAPHICS);
        read_clock(device, CLOCK_MEMORY, NVML_CLOCK_MEMORY);
    }
    read_slow_figures(device, request);
    read_pcie_rates(device, request);
}
