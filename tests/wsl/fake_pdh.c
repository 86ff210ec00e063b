/* Windows' pdh.dll as far as data/windows_host.ps1 calls it, for mono: names are UTF-16, and a list
 * that has grown since it was asked for is answered with PDH_MORE_DATA and a size that is not
 * reliable (the documentation of PdhGetFormattedCounterArray). With each collection the engines
 * grow in number. FAKE_PDH_MISSING: the counter whose path has this word in it does not exist. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 80, ITEM_SIZE = 24, ENGINES_AT_ONCE = 300 };
static const uint32_t more_data = 0x800007D2, no_data = 0x800007D5, no_counter = 0xC0000BB9;
static const uint32_t invalid_data = 0xC0000BC6, as_real = 0x200;

struct counter {
    char path[128];
};

static uint32_t collections;

uint32_t PdhOpenQueryW(const uint16_t *source, void *user, void **query)
{
    (void)source, (void)user;
    *query = &collections;
    return 0;
}

uint32_t PdhAddEnglishCounterW(void *query, const uint16_t *path, void *user, void **counter)
{
    struct counter *made = calloc(1, sizeof *made);
    const char *missing = getenv("FAKE_PDH_MISSING");
    (void)query, (void)user;
    for (size_t i = 0; path[i] && i < sizeof made->path - 1; i++)
        made->path[i] = (char)path[i];
    *counter = made;
    return missing && strstr(made->path, missing) ? no_counter : 0;
}

uint32_t PdhCollectQueryData(void *query)
{
    (void)query;
    collections++;
    return 0;
}

static uint32_t items_of(const struct counter *counter)
{
    if (strstr(counter->path, "Shared Usage"))
        return 0;
    return strstr(counter->path, "Engine") ? ENGINES_AT_ONCE * collections : 5;
}

static void name_item(const struct counter *counter, uint32_t i, uint16_t *wide)
{
    char name[NAME_SIZE];
    const char *form = strstr(counter->path, "Engine")
                           ? "pid_%u_luid_0x00000000_0x0000D1A2_phys_0_eng_%u_engtype_High \"3D\""
                       : strstr(counter->path, "Adapter")
                           ? "luid_0x00000000_0x%08X_phys_0"
                           : "pid_%u_luid_0x00000000_0x0000D1A2_phys_0";
    snprintf(name, sizeof name, form, i + 1, i);
    for (size_t k = 0; k < NAME_SIZE; k++)
        wide[k] = (unsigned char)name[k];
    if (i == 1)
        wide[0] = 0xe4; /* a letter that ASCII lacks */
}

uint32_t PdhGetFormattedCounterArrayW(void *of, uint32_t format, uint32_t *size, uint32_t *count,
                                      void *buffer)
{
    const struct counter *counter = of;
    uint32_t items = items_of(counter), needed = items * (ITEM_SIZE + 2 * NAME_SIZE);
    *count = items;
    if (items == 0)
        return no_data;
    if (!buffer || *size < needed) {
        *size = *size > 0 ? 7 : needed;
        return more_data;
    }
    uint16_t *names = (uint16_t *)(void *)((char *)buffer + (size_t)items * ITEM_SIZE);
    for (uint32_t i = 0; i < items; i++) {
        char *item = (char *)buffer + (size_t)i * ITEM_SIZE;
        uint16_t *name = names + (size_t)i * NAME_SIZE;
        uint32_t status = i == 4 ? invalid_data : i % 2; /* 1: new data, as good as 0 */
        int64_t whole = i == 2 ? -5 : ((int64_t)8 << 30) + i;
        double real = i == 3 ? strtod("nan", NULL) : 12.5 * i;
        name_item(counter, i, name);
        memset(item, 0xA5, ITEM_SIZE);
        memcpy(item, &name, sizeof name);
        memcpy(item + 8, &status, sizeof status);
        memcpy(item + 16, format & as_real ? (const void *)&real : &whole, sizeof whole);
    }
    return 0;
}
