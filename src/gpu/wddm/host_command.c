#include "gpu/wddm/host_command.h"

#include <stdint.h>

#include "base/fatal.h"

extern const char windows_host[];
extern const size_t windows_host_size;

/* Byte `at` of the script in UTF-16LE. */
static uint32_t wide_byte(const char *script, size_t size, size_t at)
{
    return at < 2 * size && at % 2 == 0 ? (unsigned char)script[at / 2] : 0;
}

char *host_command_encode(const char *script, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t bytes = 2 * size, length = 0;
    char *encoded = memory_new((bytes + 2) / 3 * 4 + 1);
    for (size_t at = 0; at < bytes; at += 3) {
        uint32_t group = wide_byte(script, size, at) << 16 | wide_byte(script, size, at + 1) << 8 |
                         wide_byte(script, size, at + 2);
        for (int i = 0; i < 4; i++)
            encoded[length++] = at + (size_t)i > bytes ? '=' : digits[group >> (18 - 6 * i) & 63];
    }
    return encoded;
}

char *host_command(void)
{
    return host_command_encode(windows_host, windows_host_size);
}
