#include <string.h>

#include "base/number.h"
#include "gpu/metal/footprint.h"

static bool next_line(struct raw_text text, size_t *at, struct raw_text *line)
{
    if (*at >= text.length)
        return false;
    const char *start = text.bytes + *at;
    const char *end = memchr(start, '\n', text.length - *at);
    size_t length = end ? (size_t)(end - start) : text.length - *at;
    *at += length + 1;
    if (length > 0 && start[length - 1] == '\r')
        length--;
    *line = (struct raw_text){start, length};
    return true;
}

static void skip_blanks(struct raw_text *rest)
{
    while (rest->length > 0 && (*rest->bytes == ' ' || *rest->bytes == '\t')) {
        rest->bytes++;
        rest->length--;
    }
}

static bool take_number(struct raw_text *rest, int64_t *value)
{
    size_t used = 0;
    uint64_t number;
    skip_blanks(rest);
    if (rest->length == 0 || *rest->bytes < '0' || *rest->bytes > '9' ||
        !number_parse_u64(*rest, &number, &used) || number > INT64_MAX)
        return false;
    *value = (int64_t)number;
    rest->bytes += used;
    rest->length -= used;
    return true;
}

/* Behind the point: thousandths of a unit; more digits than three say nothing. */
static int64_t take_thousandths(struct raw_text *rest)
{
    int64_t thousandths = 0, place = 100;
    if (rest->length == 0 || *rest->bytes != '.')
        return 0;
    for (rest->bytes++, rest->length--;
         rest->length > 0 && *rest->bytes >= '0' && *rest->bytes <= '9';
         rest->bytes++, rest->length--) {
        thousandths += (*rest->bytes - '0') * place;
        place /= 10;
    }
    return thousandths;
}

/* "3789 MB", "1.5 GB", "0 B". */
static bool take_size(struct raw_text *rest, int64_t *bytes)
{
    static const struct {
        const char *unit;
        int64_t factor;
    } units[] = {{"B", 1},
                 {"KB", INT64_C(1) << 10},
                 {"MB", INT64_C(1) << 20},
                 {"GB", INT64_C(1) << 30},
                 {"TB", INT64_C(1) << 40}};
    if (!take_number(rest, bytes))
        return false;
    int64_t thousandths = take_thousandths(rest);
    skip_blanks(rest);
    size_t length = 0;
    while (length < rest->length && rest->bytes[length] >= 'A' && rest->bytes[length] <= 'Z')
        length++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].unit) == length && memcmp(rest->bytes, units[i].unit, length) == 0) {
            rest->bytes += length;
            rest->length -= length;
            return number_multiply_i64(*bytes, units[i].factor, bytes) &&
                   number_add_i64(*bytes, thousandths * units[i].factor / 1000, bytes);
        }
    return false;
}

/* "llama-server [61332]: 64-bit ...". The name may hold brackets of its own: the last ones count.
 */
static bool is_header(struct raw_text line, int64_t *pid)
{
    for (size_t at = line.length; at-- > 0;) {
        struct raw_text rest = {line.bytes + at + 1, line.length - at - 1};
        if (line.bytes[at] != '[' || !take_number(&rest, pid) || rest.length < 9)
            continue;
        return memcmp(rest.bytes, "]: 64-bit", 9) == 0 || memcmp(rest.bytes, "]: 32-bit", 9) == 0;
    }
    return false;
}

/* Three sizes, a count, and the category to the end of the line. */
static bool is_row(struct raw_text line, int64_t *dirty, struct raw_text *category)
{
    int64_t other;
    if (!take_size(&line, dirty) || !take_size(&line, &other) || !take_size(&line, &other) ||
        !take_number(&line, &other))
        return false;
    skip_blanks(&line);
    while (line.length > 0 && line.bytes[line.length - 1] == ' ')
        line.length--;
    *category = line;
    return line.length > 0 && !raw_equal_string(line, "TOTAL");
}

static bool is_graphics(struct raw_text category)
{
    static const char end[] = "(graphics)";
    size_t length = sizeof end - 1;
    return category.length >= length &&
           memcmp(category.bytes + category.length - length, end, length) == 0;
}

bool footprint_text_parse(struct raw_text text, int64_t pid, int64_t *graphics_bytes)
{
    struct raw_text line, category;
    size_t at = 0, rows = 0;
    int64_t sum = 0, dirty, of = 0;
    bool ours = false;
    if (!text.bytes || text.length > FOOTPRINT_TEXT_MAX)
        return false;
    while (next_line(text, &at, &line)) {
        if (is_header(line, &of)) {
            ours = of == pid;
        } else if (ours && is_row(line, &dirty, &category)) {
            if (++rows > FOOTPRINT_ROWS_MAX ||
                (is_graphics(category) && !number_add_i64(sum, dirty, &sum)))
                return false;
        }
    }
    *graphics_bytes = sum;
    return rows > 0;
}
