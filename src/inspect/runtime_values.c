#include "inspect/runtime_values.h"

#include <string.h>

#include "base/lines.h"
#include "base/number.h"

static const struct {
    const char *name;
    int64_t block, bytes;
} cache_types[CACHE_TYPE_COUNT] = {
    [CACHE_F16] = {"f16", 1, 2},         [CACHE_F32] = {"f32", 1, 4},
    [CACHE_BF16] = {"bf16", 1, 2},       [CACHE_Q8_0] = {"q8_0", 32, 34},
    [CACHE_Q4_0] = {"q4_0", 32, 18},     [CACHE_Q4_1] = {"q4_1", 32, 20},
    [CACHE_IQ4_NL] = {"iq4_nl", 32, 18}, [CACHE_Q5_0] = {"q5_0", 32, 22},
    [CACHE_Q5_1] = {"q5_1", 32, 24},
};

const char *cache_type_name(enum cache_type type)
{
    return cache_types[type].name;
}

int64_t cache_type_block(enum cache_type type)
{
    return cache_types[type].block;
}

int64_t cache_type_block_bytes(enum cache_type type)
{
    return cache_types[type].bytes;
}

bool runtime_value_cache(struct raw_text value, enum cache_type *type)
{
    for (int i = 0; i < CACHE_TYPE_COUNT; i++) {
        if (raw_equal_string(value, cache_types[i].name)) {
            *type = (enum cache_type)i;
            return true;
        }
    }
    return false;
}

bool runtime_value_gpu_layers(struct raw_text value, struct load_flags *load)
{
    int64_t number;
    if (raw_equal_string(value, "auto")) {
        load->gpu_layers_wish = GPU_LAYERS_AUTO;
        return true;
    }
    if (raw_equal_string(value, "all")) {
        load->gpu_layers_wish = GPU_LAYERS_ALL;
        return true;
    }
    if (!number_parse_i64(value, &number, NULL) || number < -2 || number > INT32_MAX) {
        return false;
    }
    /* -1 is auto, -2 is all (2026). */
    load->gpu_layers_wish = number == -1   ? GPU_LAYERS_AUTO
                            : number == -2 ? GPU_LAYERS_ALL
                                           : GPU_LAYERS_NUMBER;
    load->gpu_layers = number < 0 ? 0 : number;
    return true;
}

bool runtime_value_devices(struct raw_text value, struct load_flags *load)
{
    struct raw_text name;
    load->device_count = 0;
    load->devices_none = raw_equal_string(value, "none");
    while (!load->devices_none && fields_next(&value, ',', &name)) {
        if (name.length == 0 || load->device_count == RUNTIME_DEVICES_MAX) {
            return false;
        }
        load->devices[load->device_count++] = name;
    }
    return true;
}

bool runtime_value_overrides(struct raw_text value, struct load_flags *load)
{
    struct raw_text item;
    while (fields_next(&value, ',', &item)) {
        struct tensor_override override;
        if (load->override_count == RUNTIME_OVERRIDES_MAX ||
            !raw_split(item, '=', &override.pattern, &override.buffer) ||
            override.buffer.length == 0) {
            return false;
        }
        load->overrides[load->override_count++] = override;
    }
    return true;
}

bool runtime_value_real(struct raw_text value, double *real)
{
    double result = 0, scale = 1;
    bool digits = false, point = false;
    if (value.length > 24) {
        return false;
    }
    for (size_t i = 0; i < value.length; i++) {
        char c = value.bytes[i];
        if (c == '.' && !point) {
            point = true;
        } else if (c >= '0' && c <= '9') {
            digits = true;
            result = result * 10 + (c - '0');
            scale = point ? scale * 10 : scale;
        } else {
            return false;
        }
    }
    *real = result / scale;
    return digits;
}

bool runtime_value_splits(struct raw_text value, double *splits, size_t *count)
{
    double sum = 0;
    *count = 0;
    while (value.length > 0) {
        size_t end = 0;
        while (end < value.length && value.bytes[end] != ',' && value.bytes[end] != '/') {
            end++;
        }
        if (*count == RUNTIME_DEVICES_MAX ||
            !runtime_value_real((struct raw_text){value.bytes, end}, &splits[*count])) {
            return false;
        }
        sum += splits[(*count)++];
        end += end < value.length;
        value.bytes += end;
        value.length -= end;
    }
    if (sum <= 0) {
        *count = 0; /* all zero: as if it were not given */
    }
    return true;
}

struct word {
    const char *word;
    int value;
};

static bool find_word(struct raw_text value, const struct word *words, size_t count, int *found)
{
    for (size_t i = 0; i < count; i++) {
        if (raw_equal_string(value, words[i].word)) {
            *found = words[i].value;
            return true;
        }
    }
    return false;
}

bool runtime_value_split_mode(struct raw_text value, enum split_mode *mode)
{
    static const struct word words[] = {
        {"layer", SPLIT_LAYER}, {"none", SPLIT_NONE}, {"row", SPLIT_ROW}, {"tensor", SPLIT_TENSOR}};
    int found;
    if (!find_word(value, words, sizeof words / sizeof *words, &found)) {
        return false;
    }
    *mode = (enum split_mode)found;
    return true;
}

bool runtime_value_load_mode(struct raw_text value, enum load_mode *mode)
{
    static const struct word words[] = {
        {"mmap", LOAD_MMAP}, {"none", LOAD_NONE}, {"mlock", LOAD_MLOCK}, {"dio", LOAD_DIO}};
    int found;
    if (!find_word(value, words, sizeof words / sizeof *words, &found)) {
        return false;
    }
    *mode = (enum load_mode)found;
    return true;
}

bool runtime_value_wish(struct raw_text value, enum wish *wish)
{
    static const struct word words[] = {
        {"on", WISH_ON},     {"enabled", WISH_ON},   {"true", WISH_ON},   {"1", WISH_ON},
        {"off", WISH_OFF},   {"disabled", WISH_OFF}, {"false", WISH_OFF}, {"0", WISH_OFF},
        {"auto", WISH_AUTO}, {"-1", WISH_AUTO}};
    int found;
    if (!find_word(value, words, sizeof words / sizeof *words, &found)) {
        return false;
    }
    *wish = (enum wish)found;
    return true;
}

size_t runtime_flags_split(struct raw_text command, struct raw_text *argv, size_t limit)
{
    size_t count = 0;
    if (command.length > 0 && command.bytes[command.length - 1] == '\0') {
        command.length--;
    }
    while (count < limit && command.bytes && fields_next(&command, '\0', &argv[count])) {
        count++;
    }
    return count;
}

int64_t runtime_flags_slots(const struct runtime_flags *flags)
{
    enum { SLOTS_AUTOMATIC = 4 };
    return flags->slots > 0 ? flags->slots : SLOTS_AUTOMATIC;
}

bool runtime_flags_unified(const struct runtime_flags *flags)
{
    return flags->kv_unified == WISH_ON || (flags->kv_unified == WISH_UNSET && flags->slots == 0);
}
