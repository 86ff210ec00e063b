/* What the JSON files of recorded machines have in common. */
#ifndef OS_RECORDED_JSON_TEXT_H
#define OS_RECORDED_JSON_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/problem.h"
#include "base/text.h"

/* The object of FOLDER/NAME, or, where one may stand there, the list; the caller lets go of it.
 * NULL: it is none, and `problem` says where and why. */
json_t *json_file_parse(const char *folder, const char *name, const char *bytes, size_t size,
                        bool may_be_list, struct problem *problem);

/* bytes NULL when it is no string. In the arena. */
struct raw_text json_text(struct arena *arena, const json_t *value);
/* A list of strings as arguments, each followed by a NUL; bytes NULL when there are none. */
struct raw_text json_words(struct arena *arena, const json_t *list);

#endif
