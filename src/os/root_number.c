/* Files of a tree that hold one number. */
#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "os/root.h"

enum { NUMBER_SIZE = 64 };

static enum root_result malformed(int *error)
{
    if (error)
        *error = EINVAL;
    return root_result_of(EINVAL);
}

/* Its text, or an error. */
static enum root_result read_number_text(const struct root *root, const char *path,
                                         char text[NUMBER_SIZE], struct raw_text *raw, int *error)
{
    size_t length;
    enum root_result result = root_read(root, path, text, NUMBER_SIZE, &length, error);
    *raw = (struct raw_text){text, length};
    return result == ROOT_TRUNCATED ? malformed(error) : result;
}

enum root_result root_read_i64(const struct root *root, const char *path, int64_t *value,
                               int *error)
{
    char text[NUMBER_SIZE];
    struct raw_text raw;
    enum root_result result = read_number_text(root, path, text, &raw, error);
    if (result != ROOT_OK || number_parse_i64(raw, value, NULL))
        return result;
    uint64_t hexadecimal;
    if (memchr(text, 'x', raw.length) && number_parse_hex(raw, &hexadecimal, NULL) &&
        hexadecimal <= INT64_MAX) {
        *value = (int64_t)hexadecimal;
        return ROOT_OK;
    }
    return malformed(error);
}

enum root_result root_read_hex(const struct root *root, const char *path, uint64_t *value,
                               int *error)
{
    char text[NUMBER_SIZE];
    struct raw_text raw;
    enum root_result result = read_number_text(root, path, text, &raw, error);
    if (result != ROOT_OK || number_parse_hex(raw, value, NULL))
        return result;
    return malformed(error);
}
