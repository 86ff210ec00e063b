/* Any bytes: what the scanner takes the reader takes, and they read the same. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/scan_compare.h"
#include "snapshot/json.h"
#include "snapshot/scan.h"
#include "timeline/summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What our own writer writes is always read, unless a wanted text needs escapes. */
static void check_own_text(struct snapshot_scanner *scanner, const struct snapshot *snapshot)
{
    struct buffer out = {0};
    snapshot_write(snapshot, false, &out);
    const struct snapshot *scanned = scanner_read(scanner, out.bytes, out.size);
    if (scanned) {
        scan_compare(&snapshot_table, snapshot, scanned);
    } else if (!memchr(out.bytes, '\\', out.size) && !memchr(out.bytes, '-', 1)) {
        bool large = false; /* a real of more digits than are exact is left to the reader */
        for (size_t i = 0, digits = 0; i < out.size; i++) {
            digits = (out.bytes[i] >= '0' && out.bytes[i] <= '9') ? digits + 1 : 0;
            large |= digits > 9;
        }
        if (!large && out.size < 65536) {
            fprintf(stderr, "does not read what was written: %.*s\n", (int)out.size, out.bytes);
            abort();
        }
    }
    buffer_free(&out);
}

static void check_line(struct snapshot_scanner *scanner, const char *bytes, size_t size)
{
    struct problem problem = {""};
    struct snapshot *read = snapshot_read(bytes, size, "input", 1, NULL, &problem);
    const struct snapshot *scanned = scanner_read(scanner, bytes, size);
    if (scanned && !read) {
        fprintf(stderr, "taken, but %s\n", problem.text);
        abort();
    }
    if (scanned) {
        scan_compare(&snapshot_table, read, scanned);
    }
    if (read) {
        check_own_text(scanner, read);
    }
    snapshot_drop(&read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct snapshot_scanner *scanner = scanner_new(summary_fields);
    const char *at = (const char *)data, *end = at + size;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        line_end = line_end ? line_end : end;
        check_line(scanner, at, (size_t)(line_end - at));
        at = line_end + 1;
    }
    scanner_free(&scanner);
    return 0;
}
