#include "gpu/metal/footprint_lines.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/lines.h"
#include "base/number.h"

static const char word[] = "footprint";

size_t footprint_request_write(const int64_t *pids, size_t count, char *line, size_t size)
{
    int at = snprintf(line, size, "%s", word);
    size_t written = 0;
    while (written < count && written < FOOTPRINT_REQUEST_PIDS) {
        char number[24];
        int length = snprintf(number, sizeof number, " %" PRId64, pids[written]);
        if ((size_t)at + (size_t)length >= size)
            break;
        at += snprintf(line + at, size - (size_t)at, "%s", number);
        written++;
    }
    return written;
}

size_t footprint_request_read(struct raw_text line, int64_t pids[FOOTPRINT_REQUEST_PIDS])
{
    struct raw_text field;
    size_t count = 0;
    if (!fields_next(&line, ' ', &field) || !raw_equal_string(field, word))
        return 0;
    while (count < FOOTPRINT_REQUEST_PIDS && fields_next(&line, ' ', &field)) {
        int64_t pid;
        if (!number_parse_i64(field, &pid, NULL) || pid <= 0 || pid > INT32_MAX)
            return 0;
        pids[count++] = pid;
    }
    return count;
}

bool footprint_answer_next(struct raw_text *rest, int64_t *pid, struct measured *bytes)
{
    struct raw_text line, number, value;
    int64_t size;
    if (!lines_next(rest, &line) || !raw_split(line, ' ', &number, &value) ||
        !number_parse_i64(number, pid, NULL) || *pid <= 0)
        return false;
    *bytes = measured_unknown(REASON_call_failed);
    if (raw_equal_string(value, "-"))
        return true;
    if (!number_parse_i64(value, &size, NULL) || size < 0)
        return false;
    *bytes = measured_known(size);
    return true;
}
