/* Cutting into lines, words and fields, and the numbers in them: pieces lie within the input, and
 * numbers agree with the C library's where that can read them. */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/number.h"
#include "reading/identity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void check_numbers(struct raw_text word)
{
    char copy[64];
    uint64_t number = 0, hex = 0;
    int64_t sign = 0;
    size_t used = 0;

    if (word.length >= sizeof copy)
        return;
    memcpy(copy, word.bytes, word.length);
    copy[word.length] = '\0';
    if (number_parse_u64(word, &number, &used)) {
        check(used >= 1 && used <= word.length);
        errno = 0;
        check(strtoull(copy, NULL, 10) == number && errno == 0);
    }
    if (number_parse_i64(word, &sign, NULL)) {
        errno = 0;
        check(strtoll(copy, NULL, 10) == sign && errno == 0);
    }
    if (number_parse_hex(word, &hex, NULL)) {
        errno = 0;
        check(strtoull(copy, NULL, 16) == hex && errno == 0);
    }
    struct identity identity;
    char again[IDENTITY_ID_SIZE];

    if (strlen(copy) == word.length && identity_parse(copy, &identity)) {
        identity_format(identity, again);
        check(strcmp(copy, again) == 0);
    }
}

static void check_line(struct raw_text line)
{
    struct raw_text rest = line, word, field, before, after;
    size_t fields = 0, separators = 0;

    while (words_next(&rest, &word)) {
        check(word.length > 0 && word.bytes >= line.bytes &&
              word.bytes + word.length <= line.bytes + line.length);
        check_numbers(word);
    }
    rest = line;
    while (fields_next(&rest, ':', &field))
        fields++;
    for (size_t i = 0; i < line.length; i++)
        separators += line.bytes[i] == ':';
    check(fields == separators + 1);
    if (raw_split(line, ':', &before, &after))
        check(before.length + after.length + 1 == line.length);
    check(raw_trim(line).length <= line.length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* An exact copy, so that a sanitizer sees each read past the end. */
    char *bytes = malloc(size ? size : 1);
    struct raw_text rest = {bytes, size}, line;
    size_t lines = 0, ends = 0;

    if (size)
        memcpy(bytes, data, size);
    while (lines_next(&rest, &line)) {
        lines++;
        check_line(line);
    }
    for (size_t i = 0; i < size; i++)
        ends += bytes[i] == '\n';
    check(lines == ends + (size && bytes[size - 1] != '\n'));
    free(bytes);
    return 0;
}
