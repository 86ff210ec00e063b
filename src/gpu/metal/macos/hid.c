#include <string.h>

#include "gpu/metal/macos/sensors.h"

enum {
    USAGE_PAGE = 0xff00, /* Apple's own */
    USAGE_TEMPERATURE = 5,
    EVENT_TEMPERATURE = 15,
    FIELD_TEMPERATURE = 15 << 16,
    SERVICES_MAX = 4096
};

static bool set_number(const struct frameworks *frameworks, void *dictionary, const char *name,
                       int32_t value)
{
    const void *key = cf_key(frameworks, name);
    const void *number = frameworks->number_create(NULL, CF_NUMBER_INT32, &value);
    if (key && number)
        frameworks->dictionary_set(dictionary, key, number);
    cf_release(frameworks, key);
    cf_release(frameworks, number);
    return key && number;
}

static bool contains(struct raw_text text, const char *word)
{
    size_t length = strlen(word);
    for (size_t at = 0; text.bytes && at + length <= text.length; at++)
        if (memcmp(text.bytes + at, word, length) == 0)
            return true;
    return false;
}

/* "GPU MTR Temp Sensor1"; "PMU TP3g" on newer chips. */
static bool is_of_gpu(struct raw_text name)
{
    static const char prefix[] = "PMU TP";
    return contains(name, "GPU") ||
           (name.length > sizeof prefix - 1 && memcmp(name.bytes, prefix, sizeof prefix - 1) == 0 &&
            name.bytes[name.length - 1] == 'g');
}

static struct raw_text product_of(const struct frameworks *frameworks, struct arena *arena,
                                  const void *service)
{
    const void *key = cf_key(frameworks, "Product");
    const void *value = key ? frameworks->service_property(service, key) : NULL;
    struct raw_text name = cf_text(frameworks, arena, value);
    cf_release(frameworks, value);
    cf_release(frameworks, key);
    return name;
}

static bool match(const struct frameworks *frameworks, struct hid *hid)
{
    void *matching =
        frameworks->dictionary_create(NULL, 0, frameworks->key_calls, frameworks->value_calls);
    hid->client = frameworks->client_create(NULL);
    bool made = matching && hid->client &&
                set_number(frameworks, matching, "PrimaryUsagePage", USAGE_PAGE) &&
                set_number(frameworks, matching, "PrimaryUsage", USAGE_TEMPERATURE);
    if (made)
        frameworks->client_match(hid->client, matching);
    cf_release(frameworks, matching);
    return made;
}

static void list_services(const struct frameworks *frameworks, struct hid *hid, struct arena *arena)
{
    hid->services = frameworks->client_services(hid->client);
    if (!cf_is_array(frameworks, hid->services))
        return;
    intptr_t count = frameworks->array_count(hid->services);
    for (intptr_t i = 0; i < count && i < SERVICES_MAX && hid->place_count < METAL_SENSORS_MAX;
         i++) {
        const void *service = frameworks->array_get(hid->services, i);
        if (service && is_of_gpu(product_of(frameworks, arena, service)))
            hid->places[hid->place_count++] = i;
    }
    hid->status = METAL_OK;
}

enum metal_status hid_read(const struct frameworks *frameworks, struct hid *hid,
                           struct arena *arena, struct metal_sensor *sensors, size_t *count)
{
    *count = 0;
    if (!frameworks->has[FRAMEWORK_HID])
        return METAL_UNSUPPORTED;
    if (!hid->tried) {
        hid->tried = true;
        hid->status = METAL_FAILED;
        if (match(frameworks, hid))
            list_services(frameworks, hid, arena);
    }
    for (size_t i = 0; i < hid->place_count; i++) {
        const void *service = frameworks->array_get(hid->services, hid->places[i]);
        const void *event = frameworks->service_event(service, EVENT_TEMPERATURE, 0, 0);
        struct metal_sensor *sensor = &sensors[*count];
        if (event && sensor_millicelsius(frameworks->event_value(event, FIELD_TEMPERATURE),
                                         &sensor->millicelsius)) {
            sensor->name = product_of(frameworks, arena, service);
            ++*count;
        }
        cf_release(frameworks, event);
    }
    return hid->status;
}

void hid_close(const struct frameworks *frameworks, struct hid *hid)
{
    cf_release(frameworks, hid->services);
    cf_release(frameworks, hid->client);
    *hid = (struct hid){.tried = false};
}
