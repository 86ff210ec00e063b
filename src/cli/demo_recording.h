/* data/demo.jsonl, built into the program: one snapshot a line. */
#ifndef CLI_DEMO_RECORDING_H
#define CLI_DEMO_RECORDING_H

#include <stddef.h>

extern const char demo_recording[];
extern const size_t demo_recording_size;

#endif
