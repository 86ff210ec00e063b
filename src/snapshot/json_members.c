#include "snapshot/json_members.h"

#include <string.h>

#include "snapshot/json.h"

void json_member_text(struct json_writer *writer, const char *key, struct text text)
{
    json_put_key(writer, key);
    if (text_is_none(text))
        json_put_null(writer);
    else
        json_put_text(writer, text);
}

void json_member_string(struct json_writer *writer, const char *key, const char *string)
{
    json_member_text(writer, key, string[0] ? (struct text){string, strlen(string)} : TEXT_NONE);
}

void json_member_boolean(struct json_writer *writer, const char *key, bool value)
{
    json_put_key(writer, key);
    json_put_string(writer, value ? "true" : "false");
}

void json_member_integer(struct json_writer *writer, const char *key, int64_t value)
{
    json_put_key(writer, key);
    json_put_integer(writer, value);
}

void json_member_real(struct json_writer *writer, const char *key, double value)
{
    json_put_key(writer, key);
    json_put_real(writer, value);
}

void json_member_measured(struct json_writer *writer, const char *key, struct measured value)
{
    json_put_key(writer, key);
    if (value.known)
        json_put_integer(writer, value.value);
    else
        json_put_null(writer);
}

void json_member_figure(struct json_writer *writer, const char *key, struct figure figure)
{
    json_put_key(writer, key);
    if (figure_is_known(figure))
        json_put_real(writer, figure.value);
    else
        json_put_null(writer);
}

void json_member_time(struct json_writer *writer, const char *key, int64_t wall_ns)
{
    char text[TIME_TEXT_SIZE];
    time_format(wall_ns, text);
    json_put_key(writer, key);
    json_put_word(writer, text);
}
