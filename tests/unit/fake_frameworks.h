/* Stand-ins for Core Foundation, IOKit, the HID system and IOReport, with their rules of ownership
 * kept as books: what was created or copied and not released, and what was released without being
 * owned, is counted. */
#ifndef TESTS_FAKE_FRAMEWORKS_H
#define TESTS_FAKE_FRAMEWORKS_H

#include <string.h>

#include "gpu/metal/macos/frameworks.h"

enum kind { STRING = 1, NUMBER, FRACTION, DICTIONARY, ARRAY, DATA, OTHER };
enum { MEMBERS = 24, OBJECTS = 65536, ENTRIES = 256 };

struct object {
    enum kind kind;
    int owned; /* by the code under test */
    const char *text;
    size_t length;
    int64_t number;
    double fraction; /* of a FRACTION, which is no whole number */
    const char *keys[MEMBERS];
    const struct object *values[MEMBERS];
    size_t count;
};

struct entry {
    uint64_t id;
    const char *class_name, *name;
    const struct object *properties; /* a dictionary; NULL: none */
    const struct entry *children;
    size_t child_count;
    bool gone; /* its class and number can't be read */
    int ids;   /* > 0: its number can be read that many times */
};

/* A service class, and what is found under it. */
struct services {
    const char *class_name;
    struct entry *entries;
    size_t count;
};

static struct fake {
    struct object made[OBJECTS]; /* strings and numbers that the code creates */
    size_t made_count;
    int owned; /* objects of Core Foundation: +1 created, -1 released */
    int over_released;
    int ports;     /* objects of IOKit: +1 given, -1 released */
    int matchings; /* dictionaries for matching: +1 made, -1 consumed */
    int invalid;   /* so many times an iterator says that it is no longer valid */
    int resets;
    bool services_fail, children_fail;
    const struct services *services;
    size_t services_count;
    struct {
        struct entry *entries; /* an iterator over these; NULL: a single entry */
        size_t count, at;
        struct entry *entry;
    } handles[OBJECTS];
    size_t handle_count;
} fake;

static inline void fake_begin(const struct services *services, size_t count)
{
    memset(&fake, 0, sizeof fake);
    fake.services = services;
    fake.services_count = count;
}

static uintptr_t fake_type_of(const void *value)
{
    enum kind kind = ((const struct object *)value)->kind;
    return (uintptr_t)(kind == FRACTION ? NUMBER : kind);
}
static uintptr_t fake_string_type(void)
{
    return STRING;
}
static uintptr_t fake_number_type(void)
{
    return NUMBER;
}
static uintptr_t fake_dictionary_type(void)
{
    return DICTIONARY;
}
static uintptr_t fake_array_type(void)
{
    return ARRAY;
}
static uintptr_t fake_data_type(void)
{
    return DATA;
}

static struct object *fake_make(enum kind kind)
{
    struct object *object = &fake.made[fake.made_count++ % OBJECTS];
    *object = (struct object){.kind = kind, .owned = 1};
    fake.owned++;
    return object;
}

/* The names of keys are literals: the text stays. */
static const void *fake_string_create(const void *allocator, const char *bytes, uint32_t encoding)
{
    struct object *object = encoding == CF_UTF8 && !allocator ? fake_make(STRING) : NULL;
    if (object)
        object->text = bytes;
    return object;
}
static unsigned char fake_string_copy(const void *string, char *buffer, intptr_t size,
                                      uint32_t encoding)
{
    const struct object *object = string;
    size_t length = object->text ? strlen(object->text) : SIZE_MAX;
    if (encoding != CF_UTF8 || length >= (size_t)size)
        return 0;
    memcpy(buffer, object->text, length + 1);
    return 1;
}
static const void *fake_dictionary_get(const void *dictionary, const void *key)
{
    const struct object *object = dictionary;
    for (size_t i = 0; i < object->count; i++)
        if (strcmp(object->keys[i], ((const struct object *)key)->text) == 0)
            return object->values[i];
    return NULL;
}
static void *fake_dictionary_create(const void *allocator, intptr_t capacity, const void *key_calls,
                                    const void *value_calls)
{
    (void)capacity;
    return allocator || !key_calls || !value_calls ? NULL : fake_make(DICTIONARY);
}
static void *fake_dictionary_copy(const void *allocator, intptr_t capacity, const void *dictionary)
{
    struct object *copy = fake_make(DICTIONARY);
    (void)allocator;
    (void)capacity;
    *copy = *(const struct object *)dictionary;
    copy->owned = 1;
    return copy;
}
static void fake_dictionary_set(void *dictionary, const void *key, const void *value)
{
    struct object *object = dictionary;
    object->keys[object->count] = ((const struct object *)key)->text;
    object->values[object->count++] = value;
}
static intptr_t fake_array_count(const void *array)
{
    return (intptr_t)((const struct object *)array)->count;
}
static const void *fake_array_get(const void *array, intptr_t at)
{
    const struct object *object = array;
    /* A long list of one thing. */
    return object->values[at < MEMBERS ? at : 0];
}
static unsigned char fake_number_get(const void *number, intptr_t type, void *value)
{
    const struct object *object = number;
    int64_t got = object->number;
    if (type == CF_NUMBER_DOUBLE && object->kind == FRACTION)
        memcpy(value, &object->fraction, sizeof object->fraction);
    else
        memcpy(value, &got, sizeof got);
    return type == CF_NUMBER_DOUBLE || (type == CF_NUMBER_INT64 && object->kind == NUMBER);
}
static const void *fake_number_create(const void *allocator, intptr_t type, const void *value)
{
    struct object *object = fake_make(NUMBER);
    int32_t number;
    (void)allocator;
    memcpy(&number, value, sizeof number);
    object->number = type == CF_NUMBER_INT32 ? number : -1;
    return object;
}
static intptr_t fake_data_length(const void *data)
{
    return (intptr_t)((const struct object *)data)->length;
}
static const unsigned char *fake_data_bytes(const void *data)
{
    return (const unsigned char *)((const struct object *)data)->text;
}
static void fake_release(const void *value)
{
    struct object *object = (struct object *)(uintptr_t)value;
    fake.owned--;
    if (object->owned-- <= 0)
        fake.over_released++;
}

/* What a function called Create or Copy gives. */
static inline const void *fake_own(const struct object *object)
{
    if (object) {
        ((struct object *)(uintptr_t)object)->owned++;
        fake.owned++;
    }
    return object;
}

static uint32_t fake_handle(struct entry *entries, size_t count, struct entry *entry)
{
    size_t at = fake.handle_count++ % OBJECTS;
    fake.ports++;
    fake.handles[at].entries = entries;
    fake.handles[at].count = count;
    fake.handles[at].at = 0;
    fake.handles[at].entry = entry;
    return (uint32_t)at + 1;
}
static struct entry *fake_entry(uint32_t handle)
{
    return fake.handles[handle - 1].entry;
}

static void *fake_matching(const char *class_name)
{
    struct object *object = fake_make(DICTIONARY);
    object->text = class_name;
    fake.matchings++;
    return object;
}
/* Takes the dictionary, whatever becomes of the call. */
static int32_t fake_get_services(uint32_t port, const void *matching, uint32_t *iterator)
{
    const char *class_name = ((const struct object *)matching)->text;
    fake_release(matching);
    fake.matchings--;
    if (fake.services_fail || port != 0)
        return -1;
    for (size_t i = 0; i < fake.services_count; i++)
        if (strcmp(fake.services[i].class_name, class_name) == 0) {
            *iterator = fake_handle(fake.services[i].entries, fake.services[i].count, NULL);
            return 0;
        }
    *iterator = 0;
    return 0;
}
static uint32_t fake_next(uint32_t iterator)
{
    size_t at = fake.handles[iterator - 1].at;
    if (at >= fake.handles[iterator - 1].count)
        return 0;
    fake.handles[iterator - 1].at++;
    return fake_handle(NULL, 0, &fake.handles[iterator - 1].entries[at]);
}
static unsigned char fake_is_valid(uint32_t iterator)
{
    (void)iterator;
    if (fake.invalid == 0)
        return 1;
    fake.invalid--;
    return 0;
}
static void fake_reset(uint32_t iterator)
{
    fake.resets++;
    fake.handles[iterator - 1].at = 0;
}
static int32_t fake_object_release(uint32_t object)
{
    fake.ports -= object != 0;
    return 0;
}
static int32_t fake_object_class(uint32_t object, char *class_name)
{
    const struct entry *entry = fake_entry(object);
    if (entry->gone)
        return -1;
    snprintf(class_name, IOKIT_NAME_BYTES, "%s", entry->class_name);
    return 0;
}
static unsigned char fake_conforms(uint32_t object, const char *class_name)
{
    return strcmp(class_name, "IOGPUDeviceUserClient") == 0 &&
           strncmp(fake_entry(object)->class_name, "IOGPUDevice", 11) == 0;
}
static int32_t fake_entry_id(uint32_t object, uint64_t *id)
{
    struct entry *entry = fake_entry(object);
    if (entry->gone || (entry->ids > 0 && --entry->ids == 0))
        return -1;
    *id = entry->id;
    return 0;
}
static int32_t fake_entry_name(uint32_t object, char *name)
{
    snprintf(name, IOKIT_NAME_BYTES, "%s", fake_entry(object)->name);
    return 0;
}
static const void *fake_property(uint32_t object, const void *key, const void *allocator,
                                 uint32_t options)
{
    const struct entry *entry = fake_entry(object);
    (void)allocator;
    (void)options;
    if (entry->gone || !entry->properties)
        return NULL;
    return fake_own(fake_dictionary_get(entry->properties, key));
}
static int32_t fake_children(uint32_t object, const char *plane, uint32_t *iterator)
{
    const struct entry *entry = fake_entry(object);
    if (fake.children_fail || strcmp(plane, "IOService") != 0)
        return -1;
    *iterator = fake_handle((struct entry *)(uintptr_t)entry->children, entry->child_count, NULL);
    return 0;
}

static inline struct frameworks fake_frameworks(void)
{
    return (struct frameworks){
        .has = {true, true, true, true},
        .key_calls = "k",
        .value_calls = "v",
        .task = 259,
        .type_of = fake_type_of,
        .string_type = fake_string_type,
        .number_type = fake_number_type,
        .dictionary_type = fake_dictionary_type,
        .array_type = fake_array_type,
        .data_type = fake_data_type,
        .string_create = fake_string_create,
        .string_copy = fake_string_copy,
        .dictionary_get = fake_dictionary_get,
        .dictionary_create = fake_dictionary_create,
        .dictionary_copy = fake_dictionary_copy,
        .dictionary_set = fake_dictionary_set,
        .array_count = fake_array_count,
        .array_get = fake_array_get,
        .number_get = fake_number_get,
        .number_create = fake_number_create,
        .data_length = fake_data_length,
        .data_bytes = fake_data_bytes,
        .release = fake_release,
        .matching = fake_matching,
        .get_services = fake_get_services,
        .next = fake_next,
        .is_valid = fake_is_valid,
        .reset = fake_reset,
        .object_release = fake_object_release,
        .object_class = fake_object_class,
        .conforms = fake_conforms,
        .entry_id = fake_entry_id,
        .entry_name = fake_entry_name,
        .property = fake_property,
        .children = fake_children,
    };
}

#define TEXT_OBJECT(string) ((const struct object){.kind = STRING, .text = (string)})
#define NUMBER_OBJECT(value) ((const struct object){.kind = NUMBER, .number = (value)})

#endif
