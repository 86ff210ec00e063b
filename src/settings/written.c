#include "settings/written.h"

#include <string.h>

bool written_decimal(const char *text, size_t length, double *value)
{
    double result = 0, scale = 1;
    bool digits = false, point = false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.' && !point) {
            point = true;
        } else if (text[i] >= '0' && text[i] <= '9' && length < 24) {
            digits = true;
            result = result * 10 + (text[i] - '0');
            scale = point ? scale * 10 : scale;
        } else {
            return false;
        }
    }
    *value = result / scale;
    return digits;
}

bool written_choice(const char *choices, const char *text)
{
    size_t length = strlen(text);
    for (const char *at = choices; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (length > 0 && strcspn(at, "|") == length && strncmp(at, text, length) == 0) {
            return true;
        }
    }
    return false;
}
