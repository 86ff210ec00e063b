#include "gpu/wddm/adapter_kind.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/lines.h"
#include "base/number.h"

enum {
    PCI_MOST = 0xffff,
    PCI_NVIDIA = 0x10de,
    PCI_AMD = 0x1002,
    PCI_MICROSOFT = 0x1414,
    BASIC_RENDER = 0x8c,
    HOTTEST_DECICELSIUS = 1500,
    FASTEST_RPM = 20000,
    VERSION_SIZE = 64,
};

static const uint64_t fastest_memory_hz = UINT64_C(100000000000);

static bool has_bit(const struct adapter_facts *facts, int64_t bit)
{
    return facts->type_bits.known && (facts->type_bits.value & bit) != 0;
}

/* NVIDIA's and AMD's cards without a display driver (MCDM) are compute-only as NPUs are. Where the
 * ids are not told the name decides; AMD's NPUs have its name too. */
static bool is_card(const struct adapter_facts *facts)
{
    static const char *const names[] = {"NVIDIA ", "AMD Radeon", "AMD Instinct", "Radeon"};
    if (facts->has_ids)
        return facts->vendor_id == PCI_NVIDIA || facts->vendor_id == PCI_AMD;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (raw_starts_with(facts->name, names[i]))
            return true;
    return false;
}

const char *adapter_is_no_gpu(const struct adapter_facts *facts)
{
    const uint32_t vendor = facts->has_ids ? facts->vendor_id : 0;
    if (has_bit(facts, ADAPTER_TYPE_SOFTWARE) ||
        (vendor == PCI_MICROSOFT && facts->device_id == BASIC_RENDER))
        return "a software adapter";
    if (has_bit(facts, ADAPTER_TYPE_INDIRECT_DISPLAY))
        return "an indirect display";
    if (has_bit(facts, ADAPTER_TYPE_COMPUTE_ONLY))
        return is_card(facts) ? NULL : "an NPU";
    if (has_bit(facts, ADAPTER_TYPE_DISPLAY) && !has_bit(facts, ADAPTER_TYPE_RENDER))
        return "a display without a GPU";
    return NULL;
}

enum wddm_memory adapter_memory(const struct adapter_facts *facts)
{
    if (has_bit(facts, ADAPTER_TYPE_HYBRID_INTEGRATED))
        return WDDM_MEMORY_UNIFIED;
    if (has_bit(facts, ADAPTER_TYPE_HYBRID_DISCRETE))
        return WDDM_MEMORY_OWN;
    if (facts->non_local_bytes.known && facts->non_local_bytes.value > 0)
        return WDDM_MEMORY_OWN;
    if (!facts->non_local_bytes.known || !facts->shared_system_bytes.known)
        return WDDM_MEMORY_UNTOLD;
    return facts->shared_system_bytes.value > 0 ? WDDM_MEMORY_UNIFIED : WDDM_MEMORY_OWN;
}

/* Of linked adapters the sizes of one are told; its segments add up over all. */
static struct measured dedicated_of(const struct adapter_facts *facts, enum wddm_memory memory)
{
    struct measured bytes = facts->dedicated_video_bytes;
    const struct measured system = facts->dedicated_system_bytes, local = facts->local_bytes;
    if (bytes.known && system.known && !number_add_i64(bytes.value, system.value, &bytes.value))
        return measured_unknown(REASON_incredible_value);
    bool linked = facts->physical_count > 1 && memory != WDDM_MEMORY_UNIFIED;
    if (linked && local.known && (!bytes.known || local.value > bytes.value))
        return local;
    return bytes;
}

void adapter_describe(const struct adapter_facts *facts, struct wddm_adapter *about)
{
    enum wddm_memory memory = adapter_memory(facts);
    *about = (struct wddm_adapter){
        .luid = facts->luid,
        .memory = memory,
        .name = facts->name,
        .vendor_id = facts->has_ids ? facts->vendor_id : 0,
        .dedicated_bytes = dedicated_of(facts, memory),
        .shared_limit_bytes = facts->shared_system_bytes,
    };
}

static struct raw_text copy(struct arena *arena, struct raw_text text)
{
    if (!text.bytes || text.length == 0)
        return (struct raw_text){NULL, 0};
    return (struct raw_text){arena_string(arena, text.bytes, text.length), text.length};
}

/* "WDDM 3.1", and whether it is a guest's view of the host's card. */
static struct raw_text driver_of(struct arena *arena, const struct adapter_facts *facts)
{
    char text[VERSION_SIZE] = "WDDM";
    size_t length = strlen(text);
    const int64_t version = facts->wddm_version.value;
    if (facts->wddm_version.known && version > 0 && version < 100000)
        length += (size_t)snprintf(text + length, sizeof text - length, " %" PRId64 ".%" PRId64,
                                   version / 1000, version % 1000 / 100);
    if (has_bit(facts, ADAPTER_TYPE_PARAVIRTUALIZED))
        length += (size_t)snprintf(text + length, sizeof text - length, ", paravirtualized");
    return (struct raw_text){arena_string(arena, text, length), length};
}

static void set_id(const struct adapter_facts *facts, char id[ADAPTER_ID_SIZE])
{
    if (facts->has_address && facts->bus <= 0xff && facts->device <= 0x1f && facts->function <= 7)
        snprintf(id, ADAPTER_ID_SIZE, "pci:0000:%02" PRIx32 ":%02" PRIx32 ".%" PRIx32, facts->bus,
                 facts->device, facts->function);
    else
        wddm_adapter_id(facts->luid, id);
}

void adapter_identify(struct arena *arena, const struct adapter_facts *facts,
                      struct adapter_reading *adapter)
{
    enum wddm_memory memory = adapter_memory(facts);
    memset(adapter, 0, sizeof *adapter);
    set_id(facts, adapter->id);
    adapter->name = copy(arena, facts->name);
    adapter->driver = driver_of(arena, facts);
    adapter->driver_version = copy(arena, facts->driver_version);
    if (facts->has_ids)
        adapter->vendor = wddm_vendor_name(facts->vendor_id);
    /* GPUs of a system on a chip have ids of four letters, which are no PCI ids. */
    if (facts->has_ids && facts->vendor_id <= PCI_MOST && facts->device_id <= PCI_MOST) {
        adapter->has_pci_ids = true;
        adapter->pci_vendor = facts->vendor_id;
        adapter->pci_device = facts->device_id;
        if (facts->subsystem_vendor_id <= PCI_MOST && facts->subsystem_id <= PCI_MOST) {
            adapter->pci_subsystem_vendor = facts->subsystem_vendor_id;
            adapter->pci_subsystem_device = facts->subsystem_id;
        }
        adapter->pci_revision = facts->revision & 0xff;
    }
    adapter->kind = memory == WDDM_MEMORY_UNIFIED ? ADAPTER_INTEGRATED
                    : memory == WDDM_MEMORY_OWN   ? ADAPTER_DISCRETE
                                                  : ADAPTER_UNKNOWN;
    adapter->kind_is_inferred = adapter->kind != ADAPTER_UNKNOWN;
}

void adapter_set_perf(const struct adapter_perf *perf, struct adapter_reading *adapter)
{
    bool says_something =
        perf->temperature_decicelsius != 0 || perf->fan_rpm != 0 || perf->power_permille != 0;
    if (!says_something)
        return;
    if (perf->temperature_decicelsius > 0 && perf->temperature_decicelsius < HOTTEST_DECICELSIUS)
        adapter->temperature_millicelsius[TEMPERATURE_EDGE] =
            said_value((int64_t)perf->temperature_decicelsius * 100, HOW_REPORTED);
    if (perf->fan_rpm > 0 && perf->fan_rpm < FASTEST_RPM)
        adapter->fan_rpm = said_value(perf->fan_rpm, HOW_REPORTED);
    if (perf->memory_hz > 0 && perf->memory_hz < fastest_memory_hz)
        adapter->clock_hz[CLOCK_MEMORY] = said_value((int64_t)perf->memory_hz, HOW_REPORTED);
    if (perf->memory_most_hz > 0 && perf->memory_most_hz < fastest_memory_hz)
        adapter->max_clock_hz[CLOCK_MEMORY] =
            said_value((int64_t)perf->memory_most_hz, HOW_REPORTED);
}
