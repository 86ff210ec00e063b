#include "gpu/metal/macos/frameworks.h"

#include <math.h>
#include <string.h>

enum { TEXT_BYTES = 1024, DATA_TEXT_BYTES = 256 };

static const char *const places[FRAMEWORK_COUNT] = {
    [FRAMEWORK_CORE_FOUNDATION] =
        "/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation",
    [FRAMEWORK_IOKIT] = "/System/Library/Frameworks/IOKit.framework/IOKit",
    [FRAMEWORK_REPORT] = "/usr/lib/libIOReport.dylib",
};

/* The files are in the loader's shared cache, not on disk: only opening them tells. */
static bool open_libraries(struct frameworks *frameworks, struct problem *problem)
{
    for (int i = 0; i < FRAMEWORK_COUNT; i++) {
        struct problem ignored;
        bool needed = i == FRAMEWORK_CORE_FOUNDATION || i == FRAMEWORK_IOKIT;
        if (places[i])
            frameworks->libraries[i] = library_open(places[i], needed ? problem : &ignored);
        if (needed && !frameworks->libraries[i])
            return false;
    }
    return true;
}

static void find_functions(struct frameworks *frameworks)
{
    struct library *of[FRAMEWORK_COUNT];
    void *address;
    for (int i = 0; i < FRAMEWORK_COUNT; i++) {
        of[i] = frameworks->libraries[i == FRAMEWORK_HID ? FRAMEWORK_IOKIT : i];
        frameworks->has[i] = of[i] != NULL;
    }
#define FUNCTION(framework, returns, name, symbol, arguments)                                      \
    address =                                                                                      \
        of[FRAMEWORK_##framework] ? library_symbol(of[FRAMEWORK_##framework], symbol) : NULL;      \
    memcpy(&frameworks->name, &address, sizeof address);                                           \
    frameworks->has[FRAMEWORK_##framework] &= address != NULL;
#include "gpu/metal/macos/functions.def"
#undef FUNCTION
    frameworks->key_calls =
        library_symbol(of[FRAMEWORK_CORE_FOUNDATION], "kCFTypeDictionaryKeyCallBacks");
    frameworks->value_calls =
        library_symbol(of[FRAMEWORK_CORE_FOUNDATION], "kCFTypeDictionaryValueCallBacks");
}

bool frameworks_load(struct frameworks *frameworks, struct problem *problem)
{
    memset(frameworks, 0, sizeof *frameworks);
    bool opened = open_libraries(frameworks, problem);
    if (opened)
        find_functions(frameworks);
    if (opened && frameworks->has[FRAMEWORK_CORE_FOUNDATION] && frameworks->has[FRAMEWORK_IOKIT])
        return true;
    if (opened)
        problem_set(problem, "IOKit or Core Foundation lacks a function that is needed");
    frameworks_unload(frameworks);
    return false;
}

void frameworks_unload(struct frameworks *frameworks)
{
    for (int i = FRAMEWORK_COUNT - 1; i >= 0; i--)
        library_close(&frameworks->libraries[i]);
    memset(frameworks, 0, sizeof *frameworks);
}

const void *cf_key(const struct frameworks *frameworks, const char *name)
{
    return frameworks->string_create(NULL, name, CF_UTF8);
}

void cf_release(const struct frameworks *frameworks, const void *value)
{
    if (value)
        frameworks->release(value);
}

bool cf_is_dictionary(const struct frameworks *frameworks, const void *value)
{
    return value && frameworks->type_of(value) == frameworks->dictionary_type();
}

bool cf_is_array(const struct frameworks *frameworks, const void *value)
{
    return value && frameworks->type_of(value) == frameworks->array_type();
}

struct measured cf_number(const struct frameworks *frameworks, const void *value)
{
    int64_t number = 0;
    if (!value || frameworks->type_of(value) != frameworks->number_type() ||
        !frameworks->number_get(value, CF_NUMBER_INT64, &number))
        return measured_unknown(REASON_not_reported);
    return measured_known(number);
}

struct measured cf_rounded(const struct frameworks *frameworks, const void *value)
{
    struct measured whole = cf_number(frameworks, value);
    double number = 0;
    if (whole.known || !value || frameworks->type_of(value) != frameworks->number_type() ||
        !frameworks->number_get(value, CF_NUMBER_DOUBLE, &number) || !isfinite(number) ||
        fabs(number) >= 1e18)
        return whole;
    return measured_known((int64_t)llround(number));
}

static struct raw_text string_of(const struct frameworks *frameworks, struct arena *arena,
                                 const void *value)
{
    char buffer[TEXT_BYTES];
    if (!frameworks->string_copy(value, buffer, sizeof buffer, CF_UTF8))
        return (struct raw_text){NULL, 0};
    buffer[sizeof buffer - 1] = '\0';
    size_t length = strlen(buffer);
    return (struct raw_text){arena_string(arena, buffer, length), length};
}

struct raw_text cf_data(const struct frameworks *frameworks, struct arena *arena, const void *value,
                        size_t limit)
{
    if (!value || frameworks->type_of(value) != frameworks->data_type())
        return (struct raw_text){NULL, 0};
    intptr_t length = frameworks->data_length(value);
    const unsigned char *bytes = frameworks->data_bytes(value);
    if (length <= 0 || !bytes)
        return (struct raw_text){NULL, 0};
    size_t kept = (size_t)length < limit ? (size_t)length : limit;
    return (struct raw_text){arena_string(arena, (const char *)bytes, kept), kept};
}

struct raw_text cf_text(const struct frameworks *frameworks, struct arena *arena, const void *value)
{
    if (value && frameworks->type_of(value) == frameworks->string_type())
        return string_of(frameworks, arena, value);
    struct raw_text text = cf_data(frameworks, arena, value, DATA_TEXT_BYTES);
    if (text.bytes)
        text.length = strlen(text.bytes);
    return text;
}

const void *cf_get(const struct frameworks *frameworks, const void *dictionary, const char *name)
{
    const void *key = cf_key(frameworks, name);
    const void *value = key ? frameworks->dictionary_get(dictionary, key) : NULL;
    cf_release(frameworks, key);
    return value;
}

const void *registry_property(const struct frameworks *frameworks, uint32_t entry, const char *name)
{
    const void *key = cf_key(frameworks, name);
    const void *value = key ? frameworks->property(entry, key, NULL, 0) : NULL;
    cf_release(frameworks, key);
    return value;
}

struct raw_text registry_text(const struct frameworks *frameworks, struct arena *arena,
                              uint32_t entry, const char *name)
{
    const void *value = registry_property(frameworks, entry, name);
    struct raw_text text = cf_text(frameworks, arena, value);
    cf_release(frameworks, value);
    return text;
}
