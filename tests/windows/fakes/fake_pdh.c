/* pdh.dll as far as it is called: FAKE_PDH names a folder whose counters.jsonl it serves, one
 * collection a PdhCollectQueryData, the last one for ever. FAKE_PDH_SCRIPT: see README.md. */
#include <jansson.h>

#include "fake_script.h"

#include <tlhelp32.h>
#include <wchar.h>

typedef LONG status;
enum { COUNTERS_MAX = 32, COLLECTIONS_MAX = 4096, NAME_UNITS = 512 };
static const status more_data = (status)0x800007D2, no_data = (status)0x800007D5;
static const status no_object = (status)0xC0000BB8, invalid_argument = (status)0xC0000BBD;
static const char variable[] = "FAKE_PDH_SCRIPT";

struct wire_item { /* PDH_RAW_COUNTER_ITEM_W */
    WCHAR *name;
    DWORD status;
    FILETIME time;
    LONGLONG first, second;
    DWORD multi_count;
};
_Static_assert(sizeof(struct wire_item) == 48, "PDH_RAW_COUNTER_ITEM_W");

struct value {
    int collection;
    char *counter;
    WCHAR *instance;
    DWORD status;
    LONGLONG first, second;
};

static struct value *values;
static size_t value_count;
static struct {
    status status;
    LONGLONG time;
} collections[COLLECTIONS_MAX];
static int collection_count, now = -1, added;
static char *paths[COUNTERS_MAX];
static int grown; /* the list has grown so often since its size was asked for */
static HANDLE of_query = (HANDLE)(uintptr_t)0x1001;

static DWORD hex_of(const json_t *value)
{
    return json_is_string(value) ? (DWORD)strtoul(json_string_value(value), NULL, 0) : 0;
}

static WCHAR *wide(const char *text)
{
    WCHAR *units = calloc(NAME_UNITS, sizeof *units);
    MultiByteToWideChar(CP_UTF8, 0, text, -1, units, NAME_UNITS - 1);
    return units;
}

static void take_line(const char *line)
{
    json_t *object = json_loads(line, 0, NULL);
    const char *counter = json_string_value(json_object_get(object, "counter"));
    const char *instance = json_string_value(json_object_get(object, "instance"));
    if (json_object_get(object, "collect") && collection_count < COLLECTIONS_MAX) {
        collections[collection_count].status = (status)hex_of(json_object_get(object, "status"));
        collections[collection_count++].time =
            json_integer_value(json_object_get(object, "t100ns"));
    } else if (counter && (instance || json_object_get(object, "status"))) {
        values = realloc(values, (value_count + 1) * sizeof *values);
        values[value_count++] = (struct value){
            .collection = (int)json_integer_value(json_object_get(object, "s")),
            .counter = _strdup(counter),
            .instance = instance ? wide(instance) : NULL, /* NULL: of the counter itself */
            .status = hex_of(json_object_get(object, instance ? "cstatus" : "status")),
            .first = json_integer_value(json_object_get(object, "first")),
            .second = json_integer_value(json_object_get(object, "second")),
        };
    }
    json_decref(object);
}

static void load(void)
{
    static bool loaded;
    static char line[65536];
    char path[MAX_PATH];
    const char *folder = getenv("FAKE_PDH");
    if (loaded)
        return;
    loaded = true;
    snprintf(path, sizeof path, "%s/counters.jsonl", folder ? folder : "");
    FILE *file = fopen(path, "rb");
    while (file && fgets(line, sizeof line, file))
        take_line(line);
    if (file)
        fclose(file);
}

__declspec(dllexport) status WINAPI
    PdhOpenQueryW(const WCHAR *source, DWORD_PTR user, HANDLE *query)
{
    uint32_t said;
    (void)source, (void)user;
    script_begin(variable, "open");
    load();
    *query = of_query;
    return script_number(variable, "open", &said) ? (status)said : 0;
}

__declspec(dllexport) status WINAPI
    PdhAddEnglishCounterW(HANDLE query, const WCHAR *path, DWORD_PTR user, HANDLE *counter)
{
    char text[256], missing[64];
    (void)user;
    script_begin(variable, "add");
    if (query != of_query)
        return (status)0xC0000BBC;
    WideCharToMultiByte(CP_UTF8, 0, path, -1, text, sizeof text, NULL, NULL);
    if (script_says(variable, "missing", missing, sizeof missing) && strstr(text, missing))
        return no_object;
    for (int i = 0; i < added; i++)
        if (strcmp(paths[i], text) == 0) {
            *counter = (HANDLE)&paths[i];
            return 0;
        }
    if (added == COUNTERS_MAX)
        return no_object;
    paths[added] = _strdup(text);
    *counter = (HANDLE)&paths[added++];
    return 0;
}

__declspec(dllexport) status WINAPI PdhRemoveCounter(HANDLE counter)
{
    (void)counter;
    return 0;
}

__declspec(dllexport) status WINAPI PdhCollectQueryData(HANDLE query)
{
    uint32_t said;
    script_begin(variable, "collect");
    if (query != of_query)
        return (status)0xC0000BBC;
    if (script_number(variable, "collect", &said))
        return (status)said;
    if (now + 1 < collection_count)
        now++;
    return now < 0 ? no_data : collections[now].status;
}

static bool is_of(const struct value *value, const char *path)
{
    return value->collection == now && _stricmp(value->counter, path) == 0;
}

/* "name PID IMAGE": what the recording says of this pid is of a live process of that image. */
static WCHAR *instance_of(const struct value *value)
{
    static WCHAR renamed[NAME_UNITS];
    char rest[256], image[128];
    unsigned pid, recorded;
    PROCESSENTRY32 entry = {.dwSize = sizeof entry};
    if (!script_says(variable, "name", rest, sizeof rest) ||
        sscanf(rest, "%u %127s", &recorded, image) != 2 ||
        swscanf(value->instance, L"pid_%u_", &pid) != 1 || pid != recorded)
        return value->instance;
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    for (BOOL more = Process32First(all, &entry); more; more = Process32Next(all, &entry))
        if (_stricmp(entry.szExeFile, image) == 0) {
            _snwprintf(renamed, NAME_UNITS, L"pid_%lu%ls", entry.th32ProcessID,
                       wcschr(value->instance + 4, L'_'));
            break;
        }
    CloseHandle(all);
    return renamed;
}

static DWORD put(const char *path, struct wire_item *items, DWORD count, char *end)
{
    WCHAR *names = (WCHAR *)(void *)((char *)items + count * sizeof *items);
    DWORD at = 0;
    for (size_t i = 0; i < value_count && at < count; i++) {
        if (!is_of(&values[i], path))
            continue;
        const WCHAR *instance = instance_of(&values[i]);
        size_t units = wcslen(instance) + 1;
        if ((char *)(names + units) > end)
            continue;
        memcpy(names, instance, units * sizeof *names);
        items[at++] = (struct wire_item){
            .name = names,
            .status = values[i].status,
            .time = {(DWORD)collections[now].time, (DWORD)(collections[now].time >> 32)},
            .first = values[i].first,
            .second = values[i].second,
        };
        names += units;
    }
    return at;
}

#ifndef WITHOUT_RAW_ARRAYS
/* The list is longer by some instances, each time, than it was when its size was asked for: "grow
 * TIMES". A buffer that was too small is answered with a size that means nothing. */
__declspec(dllexport) status WINAPI
    PdhGetRawCounterArrayW(HANDLE counter, DWORD *size, DWORD *count, void *buffer)
{
    uint32_t said, times = 0;
    const char *path = *(char **)counter;
    DWORD items = 0, needed = 0;
    script_begin(variable, "array");
    if (script_says(variable, "gone", NULL, 0))
        return no_object;
    if (script_number(variable, "array", &said))
        return (status)said;
    for (size_t i = 0; i < value_count; i++)
        if (is_of(&values[i], path)) {
            if (!values[i].instance)
                return (status)values[i].status;
            items++;
            needed += sizeof(struct wire_item) +
                      (DWORD)((wcslen(values[i].instance) + 9) * sizeof(WCHAR));
        }
    *count = items;
    if (items == 0) {
        *size = 0;
        return no_data;
    }
    script_number(variable, "grow", &times);
    if (!buffer || *size == 0) {
        *size = grown < (int)times ? needed / 4 : needed;
        return more_data;
    }
    if (*size < needed) {
        grown++;
        *size = 3;
        *count = 0;
        return script_says(variable, "strict", NULL, 0) ? invalid_argument : more_data;
    }
    *count = put(path, buffer, items, (char *)buffer + *size);
    *size = needed;
    return 0;
}
#endif

__declspec(dllexport) status WINAPI PdhCloseQuery(HANDLE query)
{
    return query == of_query ? 0 : (status)0xC0000BBC;
}
