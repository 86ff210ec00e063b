/* Members of objects, a key and its value in one call. What is unknown, none or "" becomes null.
 * Keys are our own, as for json_put_key(). */
#ifndef SNAPSHOT_JSON_MEMBERS_H
#define SNAPSHOT_JSON_MEMBERS_H

#include "reading/measured.h"
#include "snapshot/figure.h"
#include "snapshot/json_writer.h"

void json_member_text(struct json_writer *writer, const char *key, struct text text);
/* Any valid UTF-8. */
void json_member_string(struct json_writer *writer, const char *key, const char *string);
void json_member_boolean(struct json_writer *writer, const char *key, bool value);
void json_member_integer(struct json_writer *writer, const char *key, int64_t value);
void json_member_real(struct json_writer *writer, const char *key, double value);
void json_member_measured(struct json_writer *writer, const char *key, struct measured value);
void json_member_figure(struct json_writer *writer, const char *key, struct figure figure);
/* Nanoseconds since the epoch, as RFC 3339. */
void json_member_time(struct json_writer *writer, const char *key, int64_t wall_ns);

#endif
