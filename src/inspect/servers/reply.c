#include "inspect/servers/reply.h"

#include <math.h>

static bool is_shallow(struct raw_text body)
{
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < body.length; i++) {
        char c = body.bytes[i];
        if (in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > REPLY_DEPTH_MAX)
                return false;
        } else if ((c == ']' || c == '}') && depth > 0) {
            depth--;
        }
    }
    return true;
}

json_t *reply_parse(struct raw_text body)
{
    json_error_t error;
    if (!body.bytes || body.length == 0 || !is_shallow(body))
        return NULL;
    return json_loadb(body.bytes, body.length, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
}

struct raw_text reply_text(struct arena *arena, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    size_t length = json_string_length(value);
    if (!json_is_string(value) || length == 0 || length > REPLY_TEXT_MAX)
        return (struct raw_text){0};
    return (struct raw_text){arena_string(arena, json_string_value(value), length), length};
}

struct figure figure_reported(double value)
{
    return isfinite(value) && value >= 0 && value <= 1e18 ? figure_known(value, HOW_REPORTED)
                                                          : figure_unknown(REASON_incredible_value);
}

struct figure reply_figure_of(const json_t *number)
{
    return json_is_number(number) ? figure_reported(json_number_value(number))
                                  : figure_unknown(REASON_not_reported);
}

struct figure reply_figure(const json_t *object, const char *key)
{
    return reply_figure_of(json_object_get(object, key));
}

bool reply_is_true(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}
