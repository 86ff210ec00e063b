/* Texts out of the JSON files of a recorded machine. */
#ifndef OS_RECORDED_JSON_TEXT_H
#define OS_RECORDED_JSON_TEXT_H

#include <jansson.h>

#include "base/arena.h"
#include "base/text.h"

/* bytes NULL when it is no string. In the arena. */
struct raw_text json_text(struct arena *arena, const json_t *value);
/* A list of strings as arguments, each followed by a NUL; bytes NULL when there are none. */
struct raw_text json_words(struct arena *arena, const json_t *list);

#endif
