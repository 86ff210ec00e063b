#include "gpu/adl/adl_sensors.h"

static const struct {
    int64_t least, most, scale;
} ranges[] = {
    [ADL_PERCENT] = {0, 100, 1000},   [ADL_CELSIUS] = {-40, 150, 1000},
    [ADL_WATTS] = {0, 1000, 1000000}, [ADL_MEGAHERTZ] = {0, 20000, 1000000},
    [ADL_RPM] = {0, 20000, 1},        [ADL_LANES] = {1, 32, 1},
};

struct said adl_sensor_said(const struct adl_sensor *sensor, enum adl_unit unit, enum how how)
{
    if (sensor->supported == 0)
        return said_unknown(REASON_not_supported);
    if (sensor->value < ranges[unit].least || sensor->value > ranges[unit].most)
        return said_unknown(REASON_incredible_value);
    return said_value(sensor->value * ranges[unit].scale, how);
}

/* The first sensor that has a value; else what the first of them says. */
static struct said first_of(const struct adl_log *log, const int *numbers, size_t count,
                            enum adl_unit unit, size_t *which)
{
    struct said first = said_unknown(REASON_not_supported);
    for (size_t i = 0; i < count; i++) {
        struct said said = adl_sensor_said(&log->sensors[numbers[i]], unit, HOW_MEASURED);
        *which = i;
        if (said.how != HOW_UNAVAILABLE)
            return said;
        if (first.why_not == REASON_not_supported)
            first = said;
    }
    return first;
}

/* 0 W and 0 MHz are what a card says that does not fill the sensor, or sleeps. */
static struct said nonzero(struct said said)
{
    return said.how != HOW_UNAVAILABLE && said.value == 0 ? said_unknown(REASON_not_reported)
                                                          : said;
}

static void read_power(const struct adl_log *log, bool is_apu, struct adapter_reading *said,
                       bool *with_cpu)
{
    static const int sensors[] = {ADL_POWER_BOARD, ADL_POWER_ASIC, ADL_POWER_GRAPHICS};
    size_t which = 0;
    said->power_microwatts = first_of(log, sensors, 3, ADL_WATTS, &which);
    bool known = said->power_microwatts.how != HOW_UNAVAILABLE;
    *with_cpu = known && is_apu && sensors[which] == ADL_POWER_ASIC;
}

void adl_sensors_read(const struct adl_log *log, bool is_apu, struct adapter_reading *said,
                      bool *with_cpu)
{
    static const int edges[] = {ADL_TEMPERATURE_EDGE, ADL_TEMPERATURE_GRAPHICS};
    static const int videos[] = {ADL_CLOCK_VCN, ADL_CLOCK_UVD};
    const struct adl_sensor *sensors = log->sensors;
    struct said *temperatures = said->temperature_millicelsius;
    size_t which;
    /* The firmware's word. */
    said->load_millipercent =
        adl_sensor_said(&sensors[ADL_ACTIVITY_GRAPHICS], ADL_PERCENT, HOW_REPORTED);
    said->memory_activity_millipercent =
        adl_sensor_said(&sensors[ADL_ACTIVITY_MEMORY], ADL_PERCENT, HOW_REPORTED);
    temperatures[TEMPERATURE_EDGE] = first_of(log, edges, 2, ADL_CELSIUS, &which);
    temperatures[TEMPERATURE_HOTSPOT] =
        adl_sensor_said(&sensors[ADL_TEMPERATURE_HOTSPOT], ADL_CELSIUS, HOW_MEASURED);
    temperatures[TEMPERATURE_MEMORY] =
        adl_sensor_said(&sensors[ADL_TEMPERATURE_MEMORY], ADL_CELSIUS, HOW_MEASURED);
    read_power(log, is_apu, said, with_cpu);
    said->fan_rpm = adl_sensor_said(&sensors[ADL_FAN_RPM], ADL_RPM, HOW_MEASURED);
    said->fan_millipercent = adl_sensor_said(&sensors[ADL_FAN_PERCENT], ADL_PERCENT, HOW_MEASURED);
    said->clock_hz[CLOCK_GRAPHICS] =
        nonzero(adl_sensor_said(&sensors[ADL_CLOCK_GRAPHICS], ADL_MEGAHERTZ, HOW_MEASURED));
    said->clock_hz[CLOCK_MEMORY] =
        nonzero(adl_sensor_said(&sensors[ADL_CLOCK_MEMORY], ADL_MEGAHERTZ, HOW_MEASURED));
    said->clock_hz[CLOCK_VIDEO] = nonzero(first_of(log, videos, 2, ADL_MEGAHERTZ, &which));
    said->pcie_width = adl_sensor_said(&sensors[ADL_BUS_LANES], ADL_LANES, HOW_MEASURED);
}

struct measured adl_vram_used(int code, int mb, int64_t total_bytes)
{
    if (code < ADL_OK)
        return measured_unknown(code == ADL_NOT_SUPPORTED || code == ADL_NO_FUNCTION
                                    ? REASON_not_supported
                                    : REASON_call_failed);
    if (mb < 0 || total_bytes <= 0)
        return measured_unknown(REASON_not_reported);
    int64_t bytes = (int64_t)mb << 20;
    return bytes <= total_bytes ? measured_known(bytes)
                                : measured_unknown(REASON_larger_than_adapter);
}
