/* What a helper answers on. */
#ifndef GPU_HELPER_OUTPUT_H
#define GPU_HELPER_OUTPUT_H

#include <stdio.h>

/* Takes standard output for our answers: a stream on a copy of it, while file descriptor 1 itself
 * goes to the null device, because some libraries print. NULL when the system refuses. */
FILE *output_take(void);

#endif
