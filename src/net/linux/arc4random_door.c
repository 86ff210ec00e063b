/* Portable builds only: libevent as it comes from a new system asks libc (2.36) for these; older
 * ones have the kernel's source of random bytes. As in libc there is no failure. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { AT_ONCE = 256 };

uint32_t arc4random(void);
void arc4random_buf(void *buffer, size_t size);

void arc4random_buf(void *buffer, size_t size)
{
    unsigned char *bytes = buffer;
    while (size > 0) {
        size_t part = size < AT_ONCE ? size : AT_ONCE;
        if (getentropy(bytes, part) != 0) {
            abort();
        }
        bytes += part;
        size -= part;
    }
}

uint32_t arc4random(void)
{
    uint32_t value;
    arc4random_buf(&value, sizeof value);
    return value;
}
