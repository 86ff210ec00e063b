/* See README.md. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEVICES_MAX = 32, RULES_MAX = 16 };
enum { NODE_UNKNOWN = 5, TOO_SMALL = 7, NOT_SUPPORTED = 11, NOT_OPENED = 20 };

struct device {
    uint32_t address[4];
    char name[256], product[256], version[256];
    uint64_t id, used_mb, total_mb;
    long sensors[9], limit, memory_clock, most_clocks[2], link[3];
};

static struct scenario {
    uint32_t cpu_nodes, count, size;
    bool old_layout, noise;
    struct device devices[DEVICES_MAX];
    struct rule {
        char function[16], what[8];
        int code;
    } rules[RULES_MAX];
    int rule_count;
} scene;
static bool is_open, is_acquired;

static void take(char *text, const char *words)
{
    snprintf(text, 256, "%s", words);
    text[strcspn(text, "\n")] = '\0';
}

static void read_line(const char *line)
{
    struct device *d = &scene.devices[scene.count > 0 ? scene.count - 1 : 0];
    struct rule *rule = &scene.rules[scene.rule_count];
    unsigned a[4];
    const char *words = line + strcspn(line, " \n");
    if (*words == ' ')
        words++;
    if (strncmp(line, "device", 6) == 0 && scene.count < DEVICES_MAX) {
        d = &scene.devices[scene.count++];
        for (int i = 0; i < 9; i++)
            d->sensors[i] = -1;
    } else if (sscanf(line, "bdf %u %u %u %u", &a[0], &a[1], &a[2], &a[3]) == 4)
        memcpy(d->address, a, sizeof a);
    else if (strncmp(line, "name ", 5) == 0)
        take(d->name, words);
    else if (strncmp(line, "product ", 8) == 0)
        take(d->product, words);
    else if (strncmp(line, "version ", 8) == 0)
        take(d->version, words);
    else if (strncmp(line, "id ", 3) == 0)
        d->id = strtoull(words, NULL, 0);
    else if (strncmp(line, "memory ", 7) == 0)
        sscanf(words, "%lu %lu", &d->used_mb, &d->total_mb);
    else if (strncmp(line, "sensors ", 8) == 0)
        sscanf(words, "%ld %ld %ld %ld %ld %ld %ld %ld %ld", &d->sensors[0], &d->sensors[1],
               &d->sensors[2], &d->sensors[3], &d->sensors[4], &d->sensors[5], &d->sensors[6],
               &d->sensors[7], &d->sensors[8]);
    else if (sscanf(line, "limit %ld", &d->limit) == 1 ||
             sscanf(line, "memory_clock %ld", &d->memory_clock) == 1 ||
             sscanf(line, "most_clocks %ld %ld", &d->most_clocks[0], &d->most_clocks[1]) == 2 ||
             sscanf(line, "link %ld %ld %ld", &d->link[0], &d->link[1], &d->link[2]) == 3 ||
             sscanf(line, "nodes %u", &scene.cpu_nodes) == 1 ||
             sscanf(line, "size %u", &scene.size) == 1)
        ;
    else if (strncmp(line, "old_layout", 10) == 0)
        scene.old_layout = true;
    else if (strncmp(line, "noise", 5) == 0)
        scene.noise = true;
    else if (scene.rule_count < RULES_MAX &&
             (sscanf(line, "fail %15s %d", rule->function, &rule->code) == 2 ||
              sscanf(line, "crash %15s", rule->function) == 1 ||
              sscanf(line, "hang %15s", rule->function) == 1)) {
        sscanf(line, "%7s", rule->what);
        scene.rule_count++;
    }
}

/* What this function is to answer before anything else; 0: go on. */
static int begin(const char *function)
{
    char line[512];
    const char *path = getenv("FAKE_ROCDXG_SCENARIO");
    FILE *file = path ? fopen(path, "r") : NULL;
    memset(&scene, 0, sizeof scene);
    scene.cpu_nodes = 1;
    scene.size = 3632;
    while (file && fgets(line, sizeof line, file))
        read_line(line);
    if (file)
        fclose(file);
    if (scene.noise)
        printf("rocdxg: %s\nend\n", function), fflush(stdout);
    for (int i = 0; i < scene.rule_count; i++) {
        if (strcmp(scene.rules[i].function, function) != 0)
            continue;
        if (strcmp(scene.rules[i].what, "crash") == 0)
            abort();
        while (strcmp(scene.rules[i].what, "hang") == 0)
            pause();
        return scene.rules[i].code;
    }
    return 0;
}

int hsaKmtOpenKFD(void)
{
    int code = begin("open");
    is_open = code == 0;
    return code;
}

int hsaKmtCloseKFD(void)
{
    is_open = false;
    return 0;
}

int hsaKmtAcquireSystemProperties(uint32_t *properties)
{
    int code = begin("acquire");
    if (!is_open)
        return NOT_OPENED;
    properties[0] = scene.cpu_nodes + scene.count;
    properties[1] = properties[2] = properties[3] = 0;
    is_acquired = code == 0;
    return code;
}

int hsaKmtReleaseSystemProperties(void)
{
    is_acquired = false;
    return 0;
}

#ifndef WITHOUT_MONITORING
static const struct device *device_of(uint32_t node)
{
    bool known = is_open && is_acquired && node >= scene.cpu_nodes &&
                 node < scene.cpu_nodes + scene.count;
    return known ? &scene.devices[node - scene.cpu_nodes] : NULL;
}

int rocdxg_smi_get_device_count(uint32_t *count)
{
    int code = begin("count");
    *count = scene.count;
    return is_open ? code : NOT_OPENED;
}

int rocdxg_smi_get_vram_usage(uint32_t node, uint64_t usage[2])
{
    int code = begin("memory");
    const struct device *device = device_of(node);
    memset(usage, 0, 16);
    if (code != 0 || !device)
        return code ? code : NODE_UNKNOWN;
    usage[0] = device->used_mb;
    usage[1] = device->total_mb;
    return 0;
}

static uint32_t sensor(long value)
{
    return value < 0 ? UINT32_MAX : (uint32_t)value;
}

int rocdxg_smi_get_gpu_metrics_info(uint32_t node, uint32_t metrics[13])
{
    int code = begin("sensors");
    const struct device *device = device_of(node);
    memset(metrics, 0, 13 * sizeof *metrics);
    if (code != 0 || !device)
        return code ? code : NODE_UNKNOWN;
    for (int i = 0; i < 7; i++)
        metrics[i] = sensor(device->sensors[i]);
    metrics[7] = UINT32_MAX;
    metrics[8] = sensor(device->sensors[7]);
    metrics[9] = sensor(device->sensors[8]);
    metrics[10] = metrics[11] = metrics[12] = UINT32_MAX;
    return 0;
}

int rocdxg_smi_get_power_info(uint32_t node, uint32_t power[5])
{
    int code = begin("power");
    const struct device *device = device_of(node);
    memset(power, 0, 5 * sizeof *power);
    if (code != 0 || !device)
        return code ? code : NODE_UNKNOWN;
    power[0] = sensor(device->sensors[5]);
    power[4] = (uint32_t)device->limit;
    return 0;
}

int rocdxg_smi_get_clock_info(uint32_t node, uint32_t type, uint32_t clock[4])
{
    int code = begin("clock");
    const struct device *device = device_of(node);
    memset(clock, 0, 4 * sizeof *clock);
    if (code != 0 || !device)
        return code ? code : NODE_UNKNOWN;
    if (type != 0 && type != 4)
        return NOT_SUPPORTED;
    clock[0] = (uint32_t)(type == 4 ? device->memory_clock : device->sensors[6]);
    clock[2] = (uint32_t)device->most_clocks[type == 4];
    return 0;
}

int rocdxg_smi_get_pcie_info(uint32_t node, unsigned char *info)
{
    int code = begin("pcie");
    const struct device *device = device_of(node);
    memset(info, 0, 72);
    if (code != 0 || !device)
        return code ? code : NODE_UNKNOWN;
    const uint16_t lanes = (uint16_t)device->link[0], most = (uint16_t)device->link[1];
    const uint32_t generation = (uint32_t)device->link[2];
    memcpy(info, &most, 2);
    memcpy(info + 8, &generation, 4);
    memcpy(info + 16, &lanes, 2);
    return 0;
}

/* By offsets: 3632 bytes with struct_size, 3624 without. */
int rocdxg_smi_get_device_info(uint32_t node, unsigned char *info)
{
    int code = begin("info");
    const struct device *device = device_of(node);
    const size_t base = scene.old_layout ? 16 : 24; /* where the chip's part begins */
    const uint32_t vendor = 0x1002, none = UINT32_MAX;
    uint32_t given;
    if (code != 0 || !device)
        return code ? code : NODE_UNKNOWN;
    memcpy(&given, info, sizeof given);
    if (!scene.old_layout && given != scene.size)
        return TOO_SMALL;
    memset(info, 0, scene.old_layout ? 3624 : 3632);
    memcpy(info + (scene.old_layout ? 0 : 4), device->address, sizeof device->address);
    memcpy(info + base, &device->id, 8);
    memcpy(info + base + 8, &vendor, 4);
    memcpy(info + base + 12, &none, 4);
    memcpy(info + base + 16, &none, 4);
    memcpy(info + base + 32, device->name, 256);
    memcpy(info + base + 304, device->product, 256);
    memcpy(info + base + 824, &device->total_mb, 8);
    memcpy(info + base + 832, device->version, 256);
    return 0;
}
#endif
