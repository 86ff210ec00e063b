#include "os/windows/command_line.h"

#include <string.h>

static bool is_blank(char character)
{
    return character == ' ' || character == '\t';
}

/* The program's own name: no backslash and no doubled quote means anything in it. */
static const char *take_program(const char *at, char **out)
{
    bool quoted = false;
    for (; *at != '\0' && (quoted || !is_blank(*at)); at++) {
        if (*at == '"')
            quoted = !quoted;
        else
            *(*out)++ = *at;
    }
    *(*out)++ = '\0';
    return at;
}

/* Backslashes before a quote: two are one; an odd one makes the quote a character. */
static const char *take_backslashes(const char *at, char **out, bool *literal_quote)
{
    size_t count = 0;
    while (at[count] == '\\')
        count++;
    bool before_quote = at[count] == '"';
    size_t kept = before_quote ? count / 2 : count;
    for (size_t i = 0; i < kept; i++)
        *(*out)++ = '\\';
    *literal_quote = before_quote && count % 2 == 1;
    return at + count;
}

static const char *take_word(const char *at, char **out)
{
    bool quoted = false;
    while (*at != '\0' && (quoted || !is_blank(*at))) {
        bool literal = false;
        if (*at == '\\')
            at = take_backslashes(at, out, &literal);
        if (literal) {
            *(*out)++ = *at++;
        } else if (*at == '"') {
            at++;
            if (quoted && *at == '"')
                *(*out)++ = *at++;
            else
                quoted = !quoted;
        } else if (*at != '\0' && *at != '\\' && (quoted || !is_blank(*at))) {
            *(*out)++ = *at++;
        }
    }
    *(*out)++ = '\0';
    return at;
}

size_t command_line_split(const char *line, char *out, char **words, size_t most)
{
    size_t count = 0;
    const char *at = line;
    do {
        char *word = out;
        at = count == 0 ? take_program(at, &out) : take_word(at, &out);
        if (count < most)
            words[count] = word;
        count++;
        while (is_blank(*at))
            at++;
    } while (*at != '\0');
    return count;
}

struct raw_text command_line_arguments(struct arena *arena, struct raw_text line)
{
    if (!line.bytes)
        return line;
    const char *copy = arena_string(arena, line.bytes, line.length);
    size_t length = strlen(copy), used = 0;
    char *out = arena_alloc(arena, length + 2);
    if (length == 0)
        return (struct raw_text){out, 0};
    /* The words lie behind each other: the last one ends where all of them do. */
    size_t count = command_line_split(copy, out, NULL, 0);
    for (size_t i = 0; i < count; i++)
        used += strlen(out + used) + 1;
    return (struct raw_text){out, used};
}

bool command_line_append_quoted(char *line, size_t size, const char *argument)
{
    size_t used = strlen(line), backslashes = 0;
    if (used + 2 * strlen(argument) + 4 > size)
        return false;
    if (used)
        line[used++] = ' ';
    line[used++] = '"';
    for (const char *c = argument; *c; c++) {
        if (*c == '"')
            for (backslashes++; backslashes > 0; backslashes--)
                line[used++] = '\\';
        backslashes = *c == '\\' ? backslashes + 1 : 0;
        line[used++] = *c;
    }
    for (; backslashes > 0; backslashes--)
        line[used++] = '\\';
    line[used++] = '"';
    line[used] = '\0';
    return true;
}

bool command_line_append(char *line, size_t size, const char *argument)
{
    size_t used = strlen(line), length = strlen(argument);
    if (length == 0 || strpbrk(argument, " \t\n\v\""))
        return command_line_append_quoted(line, size, argument);
    if (used + (used > 0) + length + 1 > size)
        return false;
    if (used)
        line[used++] = ' ';
    memcpy(line + used, argument, length + 1);
    return true;
}
