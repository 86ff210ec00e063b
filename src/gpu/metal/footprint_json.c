#include <jansson.h>

#include <string.h>

#include "base/number.h"
#include "gpu/metal/footprint.h"

static bool is_graphics(const char *category)
{
    static const char end[] = "(graphics)";
    size_t length = strlen(category), tail = sizeof end - 1;
    return length >= tail && strcmp(category + length - tail, end) == 0;
}

static const json_t *process_of(const json_t *list, int64_t pid)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *process = json_array_get(list, i), *number = json_object_get(process, "pid");
        if (json_is_integer(number) && json_integer_value(number) == pid)
            return process;
    }
    return NULL;
}

/* With --sample the processes sit one level deeper; the last sample counts. */
static const json_t *find_process(const json_t *root, int64_t pid)
{
    const json_t *process = process_of(json_object_get(root, "processes"), pid);
    const json_t *samples = json_object_get(root, "samples");
    for (size_t i = json_array_size(samples); i-- > 0 && !process;)
        process = process_of(json_object_get(json_array_get(samples, i), "processes"), pid);
    return process;
}

static bool sum_categories(const json_t *categories, int64_t unit, int64_t *sum)
{
    const char *name;
    const json_t *category;
    size_t count = 0;
    json_object_foreach((json_t *)(uintptr_t)categories, name, category)
    {
        const json_t *dirty = json_object_get(category, "dirty");
        int64_t bytes;
        if (++count > FOOTPRINT_ROWS_MAX)
            return false;
        if (!is_graphics(name))
            continue;
        if (!json_is_integer(dirty) || json_integer_value(dirty) < 0 ||
            !number_multiply_i64(json_integer_value(dirty), unit, &bytes) ||
            !number_add_i64(*sum, bytes, sum))
            return false;
    }
    return count > 0;
}

bool footprint_json_parse(struct raw_text text, int64_t pid, int64_t *graphics_bytes)
{
    if (!text.bytes || text.length > FOOTPRINT_TEXT_MAX)
        return false;
    json_t *root = json_loadb(text.bytes, text.length, JSON_REJECT_DUPLICATES, NULL);
    const json_t *unit = json_object_get(root, "bytes per unit");
    const json_t *categories = json_object_get(find_process(root, pid), "categories");
    int64_t sum = 0;
    bool good = json_is_object(categories) && (!unit || json_is_integer(unit)) &&
                (!unit || json_integer_value(unit) > 0) &&
                sum_categories(categories, unit ? json_integer_value(unit) : 1, &sum);
    json_decref(root);
    *graphics_bytes = sum;
    return good;
}
