#include "gpu/helper/adapter_line.h"

#include "base/vector.h"

static const struct record_field fields[] = {
#define FIELD(kind, key, member) RECORD_FIELD(struct adapter_reading, kind, key, member),
#include "gpu/helper/adapter_fields.def"
#undef FIELD
};

enum { THROTTLE_NAME_MAX = 32 };

void adapter_line_set_unknown(struct adapter_reading *adapter, enum reason why_not)
{
    for (size_t i = 0; i < RECORD_COUNT(fields); i++) {
        void *member = (unsigned char *)adapter + fields[i].offset;
        if (fields[i].kind == RECORD_MEASURED)
            *(struct measured *)member = measured_unknown(why_not);
        if (fields[i].kind == RECORD_SAID)
            *(struct said *)member = said_unknown(why_not);
    }
    adapter->figures_why_not = why_not;
    adapter->throttle_how = HOW_UNAVAILABLE;
    adapter->throttle_why_not = why_not;
    adapter->throttle_count = 0;
    adapter->compute_list_unknown = adapter->graphics_list_unknown = true;
    adapter->compute_list_why_not = adapter->graphics_list_why_not = why_not;
    adapter->process_load_answered = false;
    adapter->process_load_why_not = why_not;
}

void adapter_line_write(const struct adapter_reading *adapter, struct record_lines *lines)
{
    record_write(lines, "adapter", fields, RECORD_COUNT(fields), adapter);
    for (size_t i = 0; i < adapter->throttle_count && i < THROTTLE_REASONS_MAX; i++)
        record_write_pair(lines, "throttle", adapter->throttle_reasons[i]);
    VECTOR_PUSH(lines, '\n');
}

static bool is_throttle_name(struct raw_text name)
{
    for (size_t i = 0; i < name.length; i++) {
        char c = name.bytes[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
            return false;
    }
    return name.length > 0 && name.length <= THROTTLE_NAME_MAX;
}

bool adapter_line_read(struct arena *arena, struct raw_text pairs, struct adapter_reading *adapter)
{
    if (!record_read(arena, pairs, fields, RECORD_COUNT(fields), adapter))
        return false;
    struct raw_text key, value;
    bool ok;
    while (record_next_pair(&pairs, &key, &value, &ok)) {
        if (!raw_equal_string(key, "throttle"))
            continue;
        if (adapter->throttle_count >= THROTTLE_REASONS_MAX || !is_throttle_name(value))
            return false;
        adapter->throttle_reasons[adapter->throttle_count++] = record_unescape(arena, value);
    }
    adapter->node_count = adapter->nodes[0].length > 0 ? 1 : 0;
    return true;
}
