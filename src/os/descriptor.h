/* How many descriptors may be kept for later. */
#ifndef OS_DESCRIPTOR_H
#define OS_DESCRIPTOR_H

#include <stdbool.h>

/* True while its number is in the lower half of those that the process is allowed (ulimit -n). The
 * upper half stays free for what is open for a moment: without it the next folder cannot be read.
 */
bool descriptor_may_be_kept(int descriptor);

#endif
