/* NVIDIA's GPUs in Windows' tree of devices (cfgmgr32.dll): addresses, names of drivers and power
 * states that the system keeps itself, so that no device is woken by the question. */
#include <initguid.h>
#include <string.h>
#include <windows.h>

#include <cfgmgr32.h>
#include <devpropdef.h>
#include <stdlib.h>

#include "base/fatal.h"
#include "gpu/helper/hardware_id.h"
#include "gpu/nvml/nvml_door.h"
#include "os/library.h"

#define DISPLAY_CLASS L"{4d36e968-e325-11ce-bfc1-08002be10318}"
/* The set of properties that all of these are in; what differs is their number. */
#define DEVICE_PROPERTY(number)                                                                    \
    {                                                                                              \
        {0xa45c254e, 0xdf1c, 0x4efd, {0x80, 0x20, 0x67, 0xd1, 0x46, 0xa8, 0x50, 0xe0}}, number     \
    }

static const DEVPROPKEY service_key = DEVICE_PROPERTY(6), bus_key = DEVICE_PROPERTY(23),
                        address_key = DEVICE_PROPERTY(30), power_key = DEVICE_PROPERTY(32);

enum { LIST_UNITS_MAX = 1 << 20, LIST_TRIES = 4, ID_SIZE = 256, SERVICE_UNITS = 64 };

struct device_calls {
    CONFIGRET(WINAPI *list_size)(PULONG, PCWSTR, ULONG);
    CONFIGRET(WINAPI *list)(PCWSTR, PWSTR, ULONG, ULONG);
    CONFIGRET(WINAPI *locate)(PDEVINST, DEVINSTID_W, ULONG);
    CONFIGRET(WINAPI *property)(DEVINST, const DEVPROPKEY *, DEVPROPTYPE *, PBYTE, PULONG, ULONG);
};

static struct library *open_calls(struct device_calls *calls)
{
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"CM_Get_Device_ID_List_SizeW", &calls->list_size},
        {"CM_Get_Device_ID_ListW", &calls->list},
        {"CM_Locate_DevNodeW", &calls->locate},
        {"CM_Get_DevNode_PropertyW", &calls->property},
    };
    struct problem problem;
    struct library *library = library_open("cfgmgr32.dll", &problem);
    for (size_t i = 0; library && i < sizeof functions / sizeof *functions; i++) {
        void *address = library_symbol(library, functions[i].name);
        if (!address)
            library_close(&library);
        memcpy(functions[i].place, &address, sizeof address);
    }
    return library;
}

/* The ids of the display devices that are there, each ended by a NUL, in memory that the caller
 * frees; NULL: not told. */
static wchar_t *list_devices(const struct device_calls *calls)
{
    const ULONG which = CM_GETIDLIST_FILTER_CLASS | CM_GETIDLIST_FILTER_PRESENT;
    for (int i = 0; i < LIST_TRIES; i++) {
        ULONG units = 0;
        if (calls->list_size(&units, DISPLAY_CLASS, which) != CR_SUCCESS || units == 0 ||
            units > LIST_UNITS_MAX)
            return NULL;
        wchar_t *ids = memory_new((units + 2) * sizeof *ids);
        CONFIGRET result = calls->list(DISPLAY_CLASS, ids, units, which);
        if (result == CR_SUCCESS)
            return ids;
        free(ids);
        if (result != CR_BUFFER_SMALL)
            return NULL;
    }
    return NULL;
}

static bool property_of(const struct device_calls *calls, DEVINST device, const DEVPROPKEY *key,
                        void *value, size_t size)
{
    DEVPROPTYPE type = 0;
    ULONG got = (ULONG)size;
    memset(value, 0, size);
    return calls->property(device, key, &type, value, &got, 0) == CR_SUCCESS && got > 0;
}

static void read_power(const struct device_calls *calls, struct nvidia_function *function)
{
    CM_POWER_DATA power;
    bool told = property_of(calls, function->system_device, &power_key, &power, sizeof power);
    function->is_suspended = told && nvidia_is_off((uint32_t)power.PD_MostRecentPowerState);
}

static void add(const struct device_calls *calls, const struct hardware_id *id, DEVINST device,
                struct nvidia_functions *functions)
{
    uint32_t bus, address;
    wchar_t service[SERVICE_UNITS];
    if (functions->count == NVIDIA_FUNCTIONS_MAX ||
        !property_of(calls, device, &bus_key, &bus, sizeof bus) ||
        !property_of(calls, device, &address_key, &address, sizeof address))
        return;
    struct nvidia_function *function = &functions->items[functions->count];
    *function = (struct nvidia_function){.device = id->device,
                                         .subsystem_vendor = id->subsystem_vendor,
                                         .subsystem_device = id->subsystem_device,
                                         .revision = id->revision,
                                         .system_device = device};
    if (!nvidia_address_write(bus, address >> 16, address & 0xffff, function->id))
        return;
    function->has_driver =
        property_of(calls, device, &service_key, service, sizeof service - sizeof *service) &&
        _wcsicmp(service, L"nvlddmkm") == 0;
    functions->count++;
}

static void read_devices(const struct device_calls *calls, wchar_t *ids,
                         struct nvidia_functions *functions)
{
    bool is_hybrid = false;
    functions->count = 0;
    for (wchar_t *id = ids; *id; id += wcslen(id) + 1) {
        struct hardware_id parsed;
        char utf8[ID_SIZE];
        DEVINST device;
        int length = WideCharToMultiByte(CP_UTF8, 0, id, -1, utf8, sizeof utf8, NULL, NULL);
        if (length <= 0 || !hardware_id_parse(utf8, (size_t)length, &parsed))
            continue;
        is_hybrid = is_hybrid || nvidia_may_sleep_beside(parsed.vendor);
        if (parsed.vendor == NVIDIA_VENDOR &&
            calls->locate(&device, id, CM_LOCATE_DEVNODE_NORMAL) == CR_SUCCESS)
            add(calls, &parsed, device, functions);
    }
    for (size_t i = 0; i < functions->count; i++)
        functions->items[i].may_sleep = is_hybrid;
}

bool nvml_system_functions(struct nvidia_functions *functions, bool again)
{
    struct device_calls calls;
    if (again)
        functions->count = 0;
    else if (functions->count == 0)
        return true;
    struct library *library = open_calls(&calls);
    if (!library)
        return true;
    wchar_t *ids = again ? list_devices(&calls) : NULL;
    if (ids)
        read_devices(&calls, ids, functions);
    free(ids);
    for (size_t i = 0; i < functions->count; i++)
        read_power(&calls, &functions->items[i]);
    library_close(&library);
    return true;
}
