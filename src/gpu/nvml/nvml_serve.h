/* The helper's side of the NVML backend: `gputaskman --helper nvml`. */
#ifndef GPU_NVML_SERVE_H
#define GPU_NVML_SERVE_H

/* Answers requests from standard input until it ends; the exit status. */
int nvml_serve(void);

#endif
