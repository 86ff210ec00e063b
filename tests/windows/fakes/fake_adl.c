/* atiadlxx.dll as far as it is called: FAKE_ADL names a scenario: see README.md. By offsets: the
 * layouts are not those of the program. */
#include "fake_script.h"

enum { ADAPTERS_MAX = 64, INFO_SIZE = 1572, LOG_SIZE = 2052, SENSORS = 256, SENSORS_SAID = 64 };
enum { ERROR_CODE = -1, INVALID_INDEX = -5, NOT_SUPPORTED = -8 };
static const char variable[] = "FAKE_ADL";

struct adapter {
    int index, bus, device, function, vendor;
    int code;        /* of its sensors */
    int types;       /* of its family */
    long long bytes; /* of its memory */
    int used_mb;
    char name[128], pnp[128];
    struct {
        int number, value;
    } sensors[SENSORS_SAID];
    int sensor_count;
};

static struct adapter adapters[ADAPTERS_MAX];
static int count, open_code;
static int context_of_ours;

static void take(const char *line)
{
    struct adapter *a = &adapters[count > 0 ? count - 1 : 0];
    int number, value;
    if (sscanf(line, "adapter %d", &number) == 1 && count < ADAPTERS_MAX) {
        a = &adapters[count++];
        *a = (struct adapter){.index = number, .vendor = 1002, .types = 1, .used_mb = -1};
    } else if (sscanf(line, "at %d %d %d", &a->bus, &a->device, &a->function) == 3 ||
               sscanf(line, "vendor %d", &a->vendor) == 1 ||
               sscanf(line, "code %d", &a->code) == 1 ||
               sscanf(line, "family %d", &a->types) == 1 ||
               sscanf(line, "memory %lld", &a->bytes) == 1 ||
               sscanf(line, "used %d", &a->used_mb) == 1 ||
               sscanf(line, "refuse %d", &open_code) == 1 ||
               sscanf(line, "name %127[^\r\n]", a->name) == 1 ||
               sscanf(line, "pnp %127[^\r\n]", a->pnp) == 1) {
        return;
    } else if (sscanf(line, "sensor %d %d", &number, &value) == 2 &&
               a->sensor_count < SENSORS_SAID) {
        a->sensors[a->sensor_count].number = number;
        a->sensors[a->sensor_count++].value = value;
    }
}

static void load(const char *function)
{
    char line[256];
    const char *path = getenv(variable);
    FILE *file = path ? fopen(path, "rb") : NULL;
    count = open_code = 0;
    while (file && fgets(line, sizeof line, file))
        take(line);
    if (file)
        fclose(file);
    script_begin(variable, function);
}

static const struct adapter *of_index(int index)
{
    for (int i = 0; i < count; i++)
        if (adapters[i].index == index)
            return &adapters[i];
    return NULL;
}

EXPORTED int ADL2_Main_Control_Create(void *(__stdcall *allocate)(int), int connected,
                                      void **context)
{
    load("create");
    void *probe = allocate(16);
    if (!probe || connected != 1)
        return ERROR_CODE;
    memset(probe, 0, 16);
    free(probe);
    *context = &context_of_ours;
    return open_code;
}

EXPORTED int ADL2_Main_Control_Destroy(void *context)
{
    return context == &context_of_ours ? 0 : ERROR_CODE;
}

EXPORTED int ADL2_Adapter_NumberOfAdapters_Get(void *context, int *number)
{
    load("count");
    *number = count;
    return context == &context_of_ours ? 0 : ERROR_CODE;
}

static void put(char *info, int at, int value)
{
    memcpy(info + at, &value, sizeof value);
}

EXPORTED int ADL2_Adapter_AdapterInfo_Get(void *context, char *infos, int size)
{
    load("info");
    if (context != &context_of_ours || size != count * INFO_SIZE)
        return ERROR_CODE;
    memset(infos, 0, (size_t)size);
    for (int i = 0; i < count; i++) {
        char *info = infos + i * INFO_SIZE;
        put(info, 0, INFO_SIZE);
        put(info, 4, adapters[i].index);
        put(info, 264, adapters[i].bus);
        put(info, 268, adapters[i].device);
        put(info, 272, adapters[i].function);
        put(info, 276, adapters[i].vendor);
        strcpy(info + 280, adapters[i].name);
        put(info, 792, 1);
        put(info, 796, 1);
        strcpy(info + 1312, adapters[i].pnp);
    }
    return 0;
}

#ifndef WITHOUT_SENSORS
EXPORTED int ADL2_New_QueryPMLogData_Get(void *context, int index, char *log)
{
    int size;
    load("log");
    const struct adapter *adapter = of_index(index);
    if (context != &context_of_ours || !adapter)
        return INVALID_INDEX;
    if (adapter->code)
        return adapter->code;
    memcpy(&size, log, sizeof size);
    if (size != LOG_SIZE)
        return ERROR_CODE;
    memset(log + 4, 0, LOG_SIZE - 4);
    for (int i = 0; i < adapter->sensor_count; i++) {
        put(log, 4 + 8 * adapter->sensors[i].number, 1);
        put(log, 8 + 8 * adapter->sensors[i].number, adapter->sensors[i].value);
    }
    return 0;
}
#endif

EXPORTED int ADL2_Adapter_ASICFamilyType_Get(void *context, int index, int *types, int *valid)
{
    (void)context;
    const struct adapter *adapter = of_index(index);
    *types = adapter ? adapter->types : 0;
    *valid = 0xff;
    return adapter ? 0 : INVALID_INDEX;
}

EXPORTED int ADL2_Adapter_MemoryInfoX4_Get(void *context, int index, char *memory)
{
    (void)context;
    const struct adapter *adapter = of_index(index);
    if (!adapter || adapter->bytes == 0)
        return NOT_SUPPORTED;
    memcpy(memory, &adapter->bytes, sizeof adapter->bytes);
    return 0;
}

EXPORTED int ADL2_Adapter_DedicatedVRAMUsage_Get(void *context, int index, int *mb)
{
    (void)context;
    const struct adapter *adapter = of_index(index);
    if (!adapter || adapter->used_mb < 0)
        return NOT_SUPPORTED;
    *mb = adapter->used_mb;
    return 0;
}
