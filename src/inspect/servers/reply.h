/* Replies of local servers as values: JSON (jansson) with bounded depth, numbers that are told from
 * nonsense. Everything in a reply is from outside. */
#ifndef INSPECT_SERVERS_REPLY_H
#define INSPECT_SERVERS_REPLY_H

#include <jansson.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"
#include "snapshot/figure.h"

enum { REPLY_DEPTH_MAX = 32, REPLY_TEXT_MAX = 4096 };

/* The value of a body, or NULL when it is not JSON, or nested deeper than REPLY_DEPTH_MAX. The
 * caller gives it back with json_decref(). */
json_t *reply_parse(struct raw_text body);
/* Members of an object (NULL, or no object: nothing). A text longer than REPLY_TEXT_MAX is none. */
struct raw_text reply_text(struct arena *arena, const json_t *object, const char *key);
/* A number of at least 0 that is possible at all, reported; unknown otherwise. */
struct figure reply_figure(const json_t *object, const char *key);
struct figure reply_figure_of(const json_t *number);
struct figure figure_reported(double value);
bool reply_is_true(const json_t *object, const char *key);

#endif
