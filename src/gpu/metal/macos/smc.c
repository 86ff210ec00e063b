#include <math.h>
#include <string.h>

#include "gpu/metal/macos/sensors.h"

/* The message of AppleSMC: 80 bytes both ways. Not published; public observations (docs/macos.md).
 */
struct smc_message {
    uint32_t key; /* four characters, the first in the highest byte */
    unsigned char version[8], limits[16];
    uint32_t size, type; /* of the key's value */
    unsigned char attributes, unused[3];
    unsigned char result, status, command, unused_too;
    uint32_t index;
    unsigned char bytes[32];
};
_Static_assert(sizeof(struct smc_message) == 80 && offsetof(struct smc_message, size) == 28 &&
                   offsetof(struct smc_message, type) == 32 &&
                   offsetof(struct smc_message, result) == 40 &&
                   offsetof(struct smc_message, command) == 42 &&
                   offsetof(struct smc_message, index) == 44 &&
                   offsetof(struct smc_message, bytes) == 48,
               "AppleSMC's message");

enum {
    SMC_SELECTOR = 2,
    SMC_READ = 5,
    SMC_KEY_AT = 8,
    SMC_KEY_INFO = 9,
    SMC_OK = 0,
    SERVICES_MAX = 64
};
#define SMC_KEY(a, b, c, d)                                                                        \
    ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))
#define SMC_FLOAT SMC_KEY('f', 'l', 't', ' ')
#define SMC_COUNT SMC_KEY('#', 'K', 'E', 'Y')

bool sensor_millicelsius(double celsius, int64_t *millicelsius)
{
    if (!isfinite(celsius) || celsius < -1000 || celsius > 10000)
        return false;
    *millicelsius = (int64_t)(celsius * 1000 + (celsius < 0 ? -0.5 : 0.5));
    return true;
}

static bool ask(const struct frameworks *frameworks, uint32_t connection,
                const struct smc_message *question, struct smc_message *answer)
{
    size_t size = sizeof *answer;
    memset(answer, 0, sizeof *answer);
    return frameworks->call(connection, SMC_SELECTOR, question, sizeof *question, answer, &size) ==
               0 &&
           size == sizeof *answer && answer->result == SMC_OK;
}

/* A value's size must be asked for and given back with the question for the value. */
static bool read_key(const struct frameworks *frameworks, uint32_t connection, uint32_t key,
                     struct smc_message *value, uint32_t *type, uint32_t *size)
{
    struct smc_message question = {.key = key, .command = SMC_KEY_INFO}, info;
    if (!ask(frameworks, connection, &question, &info) || info.size > sizeof value->bytes)
        return false;
    *type = info.type;
    *size = info.size;
    question = (struct smc_message){.key = key, .command = SMC_READ, .size = info.size};
    return ask(frameworks, connection, &question, value);
}

static bool read_float(const struct frameworks *frameworks, uint32_t connection, uint32_t key,
                       float *value)
{
    struct smc_message answer;
    uint32_t type, size;
    if (!read_key(frameworks, connection, key, &answer, &type, &size) || type != SMC_FLOAT ||
        size != sizeof *value)
        return false;
    memcpy(value, answer.bytes, sizeof *value);
    return true;
}

/* The service that has the keys, else the first of them. */
static uint32_t find_service(const struct frameworks *frameworks)
{
    void *matching = frameworks->matching("AppleSMC");
    uint32_t services = 0, entry, found = 0;
    if (!matching || frameworks->get_services(0, matching, &services) != 0 || services == 0)
        return 0;
    for (int i = 0; i < SERVICES_MAX && (entry = frameworks->next(services)) != 0; i++) {
        char name[IOKIT_NAME_BYTES] = "";
        bool named = frameworks->entry_name(entry, name) == 0;
        name[IOKIT_NAME_BYTES - 1] = '\0';
        bool better = found == 0 || (named && strcmp(name, "AppleSMCKeysEndpoint") == 0);
        uint32_t unwanted = better ? found : entry;
        if (better)
            found = entry;
        if (unwanted != 0)
            frameworks->object_release(unwanted);
    }
    frameworks->object_release(services);
    return found;
}

/* Once a run: thousands of keys, two of their four letters tell the GPU's. */
static void list_keys(const struct frameworks *frameworks, struct smc *smc)
{
    struct smc_message count, at;
    uint32_t type, size;
    float value;
    if (!read_key(frameworks, smc->connection, SMC_COUNT, &count, &type, &size) || size != 4)
        return;
    uint32_t keys = SMC_KEY(count.bytes[0], count.bytes[1], count.bytes[2], count.bytes[3]);
    for (uint32_t i = 0; i < keys && i < SMC_KEYS_MAX && smc->key_count < METAL_SENSORS_MAX; i++) {
        struct smc_message question = {.command = SMC_KEY_AT, .index = i};
        if (ask(frameworks, smc->connection, &question, &at) &&
            at.key >> 16 == SMC_KEY(0, 0, 'T', 'g') &&
            read_float(frameworks, smc->connection, at.key, &value))
            smc->keys[smc->key_count++] = at.key;
    }
    smc->status = METAL_OK;
}

static void smc_open(const struct frameworks *frameworks, struct smc *smc)
{
    uint32_t service = find_service(frameworks);
    smc->tried = true;
    smc->status = METAL_UNSUPPORTED;
    if (service == 0)
        return;
    smc->status = METAL_FAILED;
    if (frameworks->open(service, frameworks->task, 0, &smc->connection) != 0) {
        smc->connection = 0;
        smc->status = METAL_DENIED;
    }
    frameworks->object_release(service);
    if (smc->connection != 0)
        list_keys(frameworks, smc);
}

enum metal_status smc_read(const struct frameworks *frameworks, struct smc *smc,
                           struct arena *arena, struct metal_sensor *sensors, size_t *count)
{
    *count = 0;
    if (!smc->tried)
        smc_open(frameworks, smc);
    for (size_t i = 0; i < smc->key_count; i++) {
        const char name[] = {(char)(smc->keys[i] >> 24), (char)(smc->keys[i] >> 16),
                             (char)(smc->keys[i] >> 8), (char)smc->keys[i]};
        struct metal_sensor *sensor = &sensors[*count];
        float value;
        if (!read_float(frameworks, smc->connection, smc->keys[i], &value) ||
            !sensor_millicelsius((double)value, &sensor->millicelsius))
            continue;
        sensor->name = (struct raw_text){arena_string(arena, name, sizeof name), sizeof name};
        ++*count;
    }
    return smc->status;
}

void smc_close(const struct frameworks *frameworks, struct smc *smc)
{
    if (smc->connection != 0)
        frameworks->close(smc->connection);
    *smc = (struct smc){.tried = false};
}
