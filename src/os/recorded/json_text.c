#include "os/recorded/json_text.h"

#include <string.h>

enum { WORDS_MAX = 4096 };

json_t *json_file_parse(const char *folder, const char *name, const char *bytes, size_t size,
                        bool may_be_list, struct problem *problem)
{
    json_error_t error;
    json_t *root = json_loadb(bytes, size, 0, &error);
    if (json_is_object(root) || (may_be_list && json_is_array(root)))
        return root;
    problem_set(problem, "GPUTASKMAN_RECORDED: %.200s/%s:%d: %.100s", folder, name,
                root ? 1 : error.line,
                !root         ? error.text
                : may_be_list ? "no list, and no object of lists"
                              : "no object");
    json_decref(root);
    return NULL;
}

struct raw_text json_text(struct arena *arena, const json_t *value)
{
    if (!json_is_string(value))
        return (struct raw_text){NULL, 0};
    size_t length = json_string_length(value);
    return (struct raw_text){arena_string(arena, json_string_value(value), length), length};
}

struct raw_text json_words(struct arena *arena, const json_t *list)
{
    size_t size = json_array_size(list), length = 0, at = 0;
    if (size == 0 || size > WORDS_MAX)
        return (struct raw_text){NULL, 0};
    for (size_t i = 0; i < size; i++)
        length += json_string_length(json_array_get(list, i)) + 1;
    char *bytes = arena_alloc(arena, length);
    for (size_t i = 0; i < size; i++) {
        const json_t *word = json_array_get(list, i);
        size_t word_length = json_string_length(word);
        if (word_length)
            memcpy(bytes + at, json_string_value(word), word_length);
        at += word_length + 1;
    }
    return (struct raw_text){bytes, length};
}
