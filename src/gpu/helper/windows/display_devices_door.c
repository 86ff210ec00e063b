#include <initguid.h>
#include <string.h>
#include <windows.h>

#include <cfgmgr32.h>
#include <devpropdef.h>
#include <stdlib.h>

#include "base/fatal.h"
#include "gpu/helper/display_devices.h"
#include "os/library.h"

#define DISPLAY_CLASS L"{4d36e968-e325-11ce-bfc1-08002be10318}"
/* The set of properties that all of these are in; what differs is their number. */
#define DEVICE_PROPERTY(number)                                                                    \
    {                                                                                              \
        {0xa45c254e, 0xdf1c, 0x4efd, {0x80, 0x20, 0x67, 0xd1, 0x46, 0xa8, 0x50, 0xe0}}, number     \
    }

static const DEVPROPKEY service_key = DEVICE_PROPERTY(6), bus_key = DEVICE_PROPERTY(23),
                        address_key = DEVICE_PROPERTY(30), power_key = DEVICE_PROPERTY(32);

enum { LIST_UNITS_MAX = 1 << 20, LIST_TRIES = 4, ID_SIZE = 256 };

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

static void read_power(const struct device_calls *calls, struct display_device *device)
{
    CM_POWER_DATA power;
    bool told = property_of(calls, device->system_number, &power_key, &power, sizeof power);
    device->power_state = told ? (uint32_t)power.PD_MostRecentPowerState : 0;
}

static void read_service(const struct device_calls *calls, struct display_device *device)
{
    wchar_t service[DISPLAY_SERVICE_SIZE];
    device->service[0] = '\0';
    if (property_of(calls, device->system_number, &service_key, service,
                    sizeof service - sizeof *service))
        WideCharToMultiByte(CP_UTF8, 0, service, -1, device->service, sizeof device->service - 1,
                            NULL, NULL);
}

static void add(const struct device_calls *calls, wchar_t *name, struct display_devices *devices)
{
    struct display_device *device = &devices->items[devices->count];
    char utf8[ID_SIZE];
    DEVINST instance;
    uint32_t address;
    memset(device, 0, sizeof *device);
    int length = WideCharToMultiByte(CP_UTF8, 0, name, -1, utf8, sizeof utf8, NULL, NULL);
    if (length <= 0 || !hardware_id_parse(utf8, (size_t)length, &device->id) ||
        calls->locate(&instance, name, CM_LOCATE_DEVNODE_NORMAL) != CR_SUCCESS ||
        !property_of(calls, instance, &bus_key, &device->bus, sizeof device->bus) ||
        !property_of(calls, instance, &address_key, &address, sizeof address))
        return;
    device->device = address >> 16;
    device->function = address & 0xffff;
    device->system_number = instance;
    read_service(calls, device);
    devices->count++;
}

void display_devices_read(struct display_devices *devices, bool again)
{
    struct device_calls calls;
    if (again)
        devices->count = 0;
    else if (devices->count == 0)
        return;
    struct library *library = open_calls(&calls);
    if (!library)
        return;
    wchar_t *names = again ? list_devices(&calls) : NULL;
    for (wchar_t *name = names; name && *name && devices->count < DISPLAY_DEVICES_MAX;
         name += wcslen(name) + 1)
        add(&calls, name, devices);
    free(names);
    for (size_t i = 0; i < devices->count; i++)
        read_power(&calls, &devices->items[i]);
    library_close(&library);
}
