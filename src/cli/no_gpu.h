/* No supported GPU: what was looked for, where, what was found, and what to try. */
#ifndef CLI_NO_GPU_H
#define CLI_NO_GPU_H

#include "snapshot/snapshot.h"

/* To stderr; returns EXIT_NO_GPU. */
int no_gpu_explain(const struct snapshot *snapshot);

#endif
