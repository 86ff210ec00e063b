/* Command lines: every byte of the trimmed text is in exactly one argument or is its NUL. */
#include <stdlib.h>
#include <string.h>

#include "os/linux/proc_cmdline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct raw_text rest = cmdline_trim((struct raw_text){(const char *)data, size}), argument;
    size_t whole = rest.length, seen = 0, count = 0;
    while (cmdline_next(&rest, &argument)) {
        if (argument.length > 0 && memchr(argument.bytes, '\0', argument.length))
            abort();
        seen += argument.length;
        count++;
    }
    if (whole != (count > 0 ? seen + count - 1 : 0))
        abort();
    return 0;
}
