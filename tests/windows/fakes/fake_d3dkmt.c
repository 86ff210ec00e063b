/* The D3DKMT functions of gdi32.dll as far as they are called, over the adapters.json of the folder
 * that FAKE_PDH names, in the form that recorded machines have (docs/recorded-machines.md). gdi32
 * itself cannot be replaced: gputaskman-fakes.exe looks for this library instead. */
#include <jansson.h>

#include "fake_script.h"

typedef LONG status;
static const status too_small = (status)0xC0000023, refused = (status)0xC000000D;
static const char variable[] = "FAKE_D3DKMT_SCRIPT";

struct luid {
    DWORD low;
    LONG high;
};
struct adapter_info {
    UINT handle;
    struct luid luid;
    ULONG sources;
    BOOL presents;
};
struct enum2 {
    ULONG count;
    struct adapter_info *adapters;
};
struct query {
    UINT handle;
    int type;
    void *data;
    UINT size;
};
struct open_luid {
    struct luid luid;
    UINT handle;
};

static json_t *adapters;
static int opened; /* handles that are out */

static const json_t *load(void)
{
    char path[MAX_PATH];
    const char *folder = getenv("FAKE_PDH");
    json_decref(adapters);
    snprintf(path, sizeof path, "%s/adapters.json", folder ? folder : "");
    adapters = json_load_file(path, 0, NULL);
    return adapters;
}

static struct luid luid_of(const json_t *entry)
{
    unsigned high = 0, low = 0;
    const char *text = json_string_value(json_object_get(entry, "luid"));
    sscanf(text ? text : "", "0x%x_0x%x", &high, &low);
    return (struct luid){low, (LONG)high};
}

static json_int_t number(const json_t *entry, const char *key)
{
    return json_integer_value(json_object_get(entry, key));
}

static DWORD type_bits(const json_t *entry)
{
    static const char *const names[] = {
        "RenderSupported",
        "DisplaySupported",
        "SoftwareDevice",
        "PostDevice",
        "HybridDiscrete",
        "HybridIntegrated",
        "IndirectDisplayDevice",
        "Paravirtualized",
        "ACGSupported",
        "SetTimings",
        "Detachable",
        "ComputeOnly",
    };
    DWORD bits = 0;
    for (DWORD i = 0; i < sizeof names / sizeof *names; i++)
        if (number(json_object_get(entry, "adapter_type"), names[i]))
            bits |= 1u << i;
    return bits;
}

__declspec(dllexport) status WINAPI D3DKMTEnumAdapters2(struct enum2 *all)
{
    script_begin(variable, "enumerate");
    if (script_says(variable, "refuse", NULL, 0) || !json_is_array(load()))
        return refused;
    ULONG count = (ULONG)json_array_size(adapters);
    if (!all->adapters) {
        all->count = count;
        return 0;
    }
    if (all->count < count) {
        all->count = count;
        return too_small;
    }
    for (ULONG i = 0; i < count; i++)
        all->adapters[i] = (struct adapter_info){.handle = 0x40000000 + i,
                                                 .luid = luid_of(json_array_get(adapters, i))};
    opened += (int)count;
    all->count = count;
    return 0;
}

static status put(const struct query *query, const void *value, size_t size)
{
    if (query->size != size)
        return refused;
    memcpy(query->data, value, size);
    return 0;
}

static status put_ids(const struct query *query, const json_t *entry)
{
    const DWORD ids[7] = {0,
                          (DWORD)number(entry, "vendor_id"),
                          (DWORD)number(entry, "device_id"),
                          (DWORD)number(entry, "subsystem_vendor_id"),
                          (DWORD)number(entry, "subsystem_id"),
                          (DWORD)number(entry, "revision"),
                          0};
    return ids[1] ? put(query, ids, sizeof ids) : refused;
}

static status put_groups(const struct query *query, const json_t *entry)
{
    const char *kind = json_string_value(json_object_get(entry, "kind"));
    bool unified = kind && strcmp(kind, "integrated") == 0;
    ULONGLONG group[7] = {0};
    ULONGLONG dedicated = (ULONGLONG)number(entry, "dedicated_bytes");
    ULONGLONG shared = (ULONGLONG)number(entry, "shared_limit_bytes");
    group[4] = unified ? dedicated + shared : dedicated;
    group[5] = unified ? 0 : shared;
    return put(query, group, sizeof group);
}

static status put_name(const struct query *query, const json_t *entry)
{
    const char *name = json_string_value(json_object_get(entry, "name"));
    if (query->size != 2080 || !name)
        return refused;
    memset(query->data, 0, query->size);
    MultiByteToWideChar(CP_UTF8, 0, name, -1, query->data, 259);
    return 0;
}

static status put_version(const struct query *query, const json_t *entry)
{
    unsigned part[4];
    const char *text = json_string_value(json_object_get(entry, "driver_version"));
    if (!text || sscanf(text, "%u.%u.%u.%u", &part[0], &part[1], &part[2], &part[3]) != 4)
        return refused;
    ULONGLONG version = 0;
    for (int i = 0; i < 4; i++)
        version = version << 16 | (part[i] & 0xffff);
    return put(query, &version, sizeof version);
}

static status put_perf(const struct query *query, const json_t *entry)
{
    const json_t *perf = json_object_get(entry, "perf");
    ULONGLONG data[8] = {0};
    data[1] = (ULONGLONG)number(perf, "memory_hz");
    data[2] = (ULONGLONG)number(perf, "memory_most_hz");
    data[6] = (ULONGLONG)number(perf, "fan_rpm") | (ULONGLONG)number(perf, "power_permille") << 32;
    data[7] = (ULONGLONG)number(perf, "temperature_decicelsius");
    return put(query, data, sizeof data);
}

static status put_address(const struct query *query, const json_t *entry)
{
    const DWORD none = UINT32_MAX;
    bool told = json_object_get(entry, "bus") != NULL;
    const DWORD address[3] = {told ? (DWORD)number(entry, "bus") : none,
                              told ? (DWORD)number(entry, "device") : none,
                              told ? (DWORD)number(entry, "function") : none};
    return put(query, address, sizeof address);
}

__declspec(dllexport) status WINAPI D3DKMTQueryAdapterInfo(const struct query *query)
{
    const json_t *entry = json_array_get(adapters, query->handle - 0x40000000);
    uint32_t without;
    script_begin(variable, "query");
    if (!entry || (script_number(variable, "without", &without) && (int)without == query->type))
        return refused;
    const ULONGLONG sizes[3] = {(ULONGLONG)number(entry, "dedicated_bytes"), 0,
                                (ULONGLONG)number(entry, "shared_limit_bytes")};
    switch (query->type) {
    case 3:
        return put(query, sizes, sizeof sizes);
    case 6:
        return put_address(query, entry);
    case 8:
        return put_name(query, entry);
    case 13:
        return put(query, &(DWORD){(DWORD)number(entry, "wddm_version")}, sizeof(DWORD));
    case 15:
        return put(query, &(DWORD){type_bits(entry)}, sizeof(DWORD));
    case 30:
        return put(query, &(DWORD){1}, sizeof(DWORD));
    case 31:
        return put_ids(query, entry);
    case 42:
        return put_groups(query, entry);
    case 49:
        return put_version(query, entry);
    case 62:
        return put_perf(query, entry);
    default:
        return refused;
    }
}

__declspec(dllexport) status WINAPI D3DKMTOpenAdapterFromLuid(struct open_luid *adapter)
{
    script_begin(variable, "open");
    for (size_t i = 0; i < json_array_size(adapters); i++) {
        struct luid luid = luid_of(json_array_get(adapters, i));
        if (luid.low == adapter->luid.low && luid.high == adapter->luid.high) {
            adapter->handle = 0x40000000 + (UINT)i;
            opened++;
            return 0;
        }
    }
    return refused;
}

/* A handle that is closed twice, or never was open, ends the program: nobody would see it. */
__declspec(dllexport) status WINAPI D3DKMTCloseAdapter(const UINT *handle)
{
    if (*handle < 0x40000000 || --opened < 0)
        RaiseException(EXCEPTION_INVALID_HANDLE, EXCEPTION_NONCONTINUABLE, 0, NULL);
    return 0;
}
