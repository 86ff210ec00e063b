#include "gpu/rocdxg/rocdxg_device.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gpu/helper/adapter_line.h"

/* Beyond these a value is not of this world. */
enum {
    PERCENT_LARGEST = 100,
    CELSIUS_LARGEST = 150,
    WATTS_LARGEST = 2000,
    MEGAHERTZ_LARGEST = 20000,
    RPM_LARGEST = 20000,
    LANES_LARGEST = 32,
    GENERATION_LARGEST = 8,
};

static const uint64_t largest_mb = (uint64_t)1 << 30; /* 1 PiB */
static const int64_t slow_ns = 5000000000;

static enum reason reason_of(int code)
{
    return code == ROCDXG_NOT_SUPPORTED || code == ROCDXG_NOT_IMPLEMENTED ||
                   code == ROCDXG_NO_FUNCTION
               ? REASON_not_supported
               : REASON_call_failed;
}

struct said rocdxg_sensor(int code, uint32_t value, int64_t scale, uint32_t largest, enum how how)
{
    if (code != ROCDXG_OK)
        return said_unknown(reason_of(code));
    if (value == ROCDXG_NO_SENSOR)
        return said_unknown(REASON_not_reported);
    return value <= largest ? said_value((int64_t)value * scale, how)
                            : said_unknown(REASON_incredible_value);
}

/* For figures that the library gives as 0 where it has none. */
static struct said nonzero(int code, uint32_t value, int64_t scale, uint32_t largest)
{
    return rocdxg_sensor(code, value == 0 ? ROCDXG_NO_SENSOR : value, scale, largest, HOW_MEASURED);
}

bool rocdxg_device_info_align(struct rocdxg_device_info *info)
{
    enum { OLD_ADDRESS = 0, OLD_DEVICE_ID = 16, OLD_VENDOR = 24 };
    unsigned char *bytes = (unsigned char *)info;
    uint32_t address[4], vendor;
    const size_t device_id = offsetof(struct rocdxg_device_info, device_id);
    memcpy(&vendor, bytes + OLD_VENDOR, sizeof vendor);
    if (vendor != ROCDXG_AMD)
        return info->vendor_id == ROCDXG_AMD;
    memcpy(address, bytes + OLD_ADDRESS, sizeof address);
    memmove(bytes + device_id, bytes + OLD_DEVICE_ID, sizeof *info - device_id);
    info->domain = address[0];
    info->bus = address[1];
    info->device = address[2];
    info->function = address[3];
    return true;
}

static struct raw_text text_of(char text[ROCDXG_TEXT_SIZE])
{
    text[ROCDXG_TEXT_SIZE - 1] = '\0';
    return text[0] ? raw_from_string(text) : (struct raw_text){NULL, 0};
}

static void set_address(const struct rocdxg_device_info *info, struct adapter_reading *said)
{
    bool real = info->domain <= 0xffff && info->bus <= 0xff && info->device <= 0x1f &&
                info->function <= 7 && (info->domain | info->bus | info->device) != 0;
    if (real)
        snprintf(said->id, sizeof said->id,
                 "pci:%04" PRIx32 ":%02" PRIx32 ":%02" PRIx32 ".%" PRIx32, info->domain, info->bus,
                 info->device, info->function);
}

/* "25.20.01.17-250909a-...": what stands before the build's name. */
static struct raw_text version_of(struct raw_text text)
{
    size_t length = text.bytes ? strspn(text.bytes, "0123456789.") : 0;
    return length > 0 ? (struct raw_text){text.bytes, length} : text;
}

static uint32_t id_of(uint32_t value)
{
    return value <= 0xffff ? value : 0;
}

static void identify(struct rocdxg_device *device, const struct rocdxg_library *library)
{
    struct rocdxg_device_info *info = &device->info;
    struct adapter_reading *said = &device->said;
    memset(info, 0, sizeof *info);
    info->struct_size = sizeof *info;
    int code = library->device_info ? library->device_info(device->node, info) : ROCDXG_NO_FUNCTION;
    if (code != ROCDXG_OK || !rocdxg_device_info_align(info))
        return;
    set_address(info, said);
    said->name = text_of(info->market_name);
    if (!said->name.bytes)
        said->name = text_of(info->product_name);
    said->driver_version = version_of(text_of(info->driver_version));
    said->has_pci_ids = info->device_id <= 0xffff;
    said->pci_vendor = ROCDXG_AMD;
    said->pci_device = (uint32_t)(info->device_id & 0xffff);
    said->pci_subsystem_vendor = id_of(info->subvendor_id);
    said->pci_subsystem_device = id_of(info->subsystem_id);
    said->pci_revision_unknown = true;
}

static void read_link(struct rocdxg_device *device, const struct rocdxg_library *library)
{
    struct rocdxg_pcie pcie = {0};
    int code = library->pcie ? library->pcie(device->node, &pcie) : ROCDXG_NO_FUNCTION;
    struct adapter_reading *said = &device->said;
    uint32_t lanes = pcie.lanes == UINT16_MAX ? 0 : pcie.lanes;
    uint32_t most_lanes = pcie.most_lanes == UINT16_MAX ? 0 : pcie.most_lanes;
    said->pcie_width = nonzero(code, lanes, 1, LANES_LARGEST);
    said->pcie_max_width = nonzero(code, most_lanes, 1, LANES_LARGEST);
    said->pcie_max_generation = nonzero(code, pcie.generation, 1, GENERATION_LARGEST);
}

void rocdxg_device_start(struct rocdxg_device *device, const struct rocdxg_library *library,
                         uint32_t node, int32_t index)
{
    memset(device, 0, sizeof *device);
    device->node = node;
    device->index = index;
    device->slow_at_ns = INT64_MIN;
    struct adapter_reading *said = &device->said;
    adapter_line_set_unknown(said, REASON_not_supported);
    said->figures_why_not = REASON_not_reported;
    said->driver_index = index;
    said->vendor = raw_from_string("amd");
    said->driver = raw_from_string("rocdxg");
    said->power_state = POWER_ACTIVE;
    identify(device, library);
}

/* 0 used is what the library says where more is free than the card has (an APU that may use the
 * system's memory): nobody knows then. */
static void read_memory(struct rocdxg_device *device, const struct rocdxg_library *library)
{
    struct rocdxg_vram_usage usage = {0};
    struct adapter_reading *said = &device->said;
    int code = library->vram_usage(device->node, &usage);
    enum reason why = code != ROCDXG_OK     ? reason_of(code)
                      : usage.total_mb == 0 ? REASON_not_supported
                                            : REASON_incredible_value;
    said->vram_total_bytes = said->vram_used_bytes = said->vram_free_bytes = measured_unknown(why);
    if (code != ROCDXG_OK || usage.total_mb == 0 || usage.total_mb > largest_mb)
        return;
    said->vram_total_bytes = measured_known((int64_t)(usage.total_mb << 20));
    if (usage.used_mb == 0 || usage.used_mb > usage.total_mb)
        return;
    said->vram_used_bytes = measured_known((int64_t)(usage.used_mb << 20));
    said->vram_free_bytes = measured_known((int64_t)((usage.total_mb - usage.used_mb) << 20));
}

/* Loads are the firmware's word, as gpu_busy_percent is on native Linux. */
static void read_metrics(struct rocdxg_device *device, const struct rocdxg_library *library)
{
    struct rocdxg_metrics metrics = {0};
    struct adapter_reading *said = &device->said;
    int code = library->metrics ? library->metrics(device->node, &metrics) : ROCDXG_NO_FUNCTION;
    said->load_millipercent =
        rocdxg_sensor(code, metrics.graphics_percent, 1000, PERCENT_LARGEST, HOW_REPORTED);
    said->memory_activity_millipercent =
        rocdxg_sensor(code, metrics.memory_percent, 1000, PERCENT_LARGEST, HOW_REPORTED);
    said->temperature_millicelsius[TEMPERATURE_EDGE] =
        nonzero(code, metrics.edge_celsius, 1000, CELSIUS_LARGEST);
    said->temperature_millicelsius[TEMPERATURE_HOTSPOT] =
        nonzero(code, metrics.hotspot_celsius, 1000, CELSIUS_LARGEST);
    said->temperature_millicelsius[TEMPERATURE_MEMORY] =
        nonzero(code, metrics.memory_celsius, 1000, CELSIUS_LARGEST);
    said->power_microwatts = nonzero(code, metrics.power_watts, 1000000, WATTS_LARGEST);
    said->clock_hz[CLOCK_GRAPHICS] =
        rocdxg_sensor(code, metrics.graphics_mhz, 1000000, MEGAHERTZ_LARGEST, HOW_MEASURED);
    said->fan_rpm = rocdxg_sensor(code, metrics.fan_rpm, 1, RPM_LARGEST, HOW_MEASURED);
    said->fan_millipercent =
        rocdxg_sensor(code, metrics.fan_percent, 1000, PERCENT_LARGEST, HOW_MEASURED);
}

static void read_clocks(struct rocdxg_device *device, const struct rocdxg_library *library)
{
    struct rocdxg_clock graphics = {0}, memory = {0};
    struct adapter_reading *said = &device->said;
    int code = library->clock ? library->clock(device->node, ROCDXG_CLOCK_GRAPHICS, &graphics)
                              : ROCDXG_NO_FUNCTION;
    said->max_clock_hz[CLOCK_GRAPHICS] =
        nonzero(code, graphics.most_mhz, 1000000, MEGAHERTZ_LARGEST);
    code = library->clock ? library->clock(device->node, ROCDXG_CLOCK_MEMORY, &memory)
                          : ROCDXG_NO_FUNCTION;
    said->clock_hz[CLOCK_MEMORY] = nonzero(code, memory.mhz, 1000000, MEGAHERTZ_LARGEST);
    said->max_clock_hz[CLOCK_MEMORY] = nonzero(code, memory.most_mhz, 1000000, MEGAHERTZ_LARGEST);
}

static void read_limit(struct rocdxg_device *device, const struct rocdxg_library *library)
{
    struct rocdxg_power power = {0};
    int code = library->power ? library->power(device->node, &power) : ROCDXG_NO_FUNCTION;
    device->said.power_limit_microwatts = nonzero(code, power.limit_watts, 1000000, WATTS_LARGEST);
}

void rocdxg_device_read(struct rocdxg_device *device, const struct rocdxg_library *library,
                        int64_t now_ns, bool everything)
{
    read_memory(device, library);
    read_metrics(device, library);
    bool due = everything || device->slow_at_ns == INT64_MIN || now_ns < device->slow_at_ns ||
               now_ns - device->slow_at_ns >= slow_ns;
    if (!due)
        return;
    device->slow_at_ns = now_ns;
    read_clocks(device, library);
    read_limit(device, library);
    read_link(device, library);
}
