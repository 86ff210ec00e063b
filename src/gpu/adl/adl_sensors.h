/* What ADL's table of sensors means: plausible ranges, and which of several sensors of one figure
 * counts. Pure. A sensor that a card lacks has been seen as 54000 degrees, 468 degrees and a load
 * stuck at 100 % (reference windows.md section 3): a value out of range is no value. */
#ifndef GPU_ADL_SENSORS_H
#define GPU_ADL_SENSORS_H

#include <stdbool.h>

#include "gpu/adl/adl_abi.h"
#include "reading/adapter.h"

enum adl_unit {
    ADL_PERCENT,   /* 0 to 100, in thousandths */
    ADL_CELSIUS,   /* -40 to 150, in thousandths */
    ADL_WATTS,     /* 0 to 1000, in millionths */
    ADL_MEGAHERTZ, /* to 20000, in Hz */
    ADL_RPM,       /* 0 to 20000 */
    ADL_LANES,     /* 1 to 32 */
};

/* One sensor in the unit of struct adapter_reading. */
struct said adl_sensor_said(const struct adl_sensor *sensor, enum adl_unit unit, enum how how);

/* Fills what the sensors tell. *with_cpu: the power that is shown is that of a whole APU, its CPU
 * included. */
void adl_sensors_read(const struct adl_log *log, bool is_apu, struct adapter_reading *said,
                      bool *with_cpu);
/* What ADL says of memory, as a check of the system's own counter: more than the card has is a
 * phantom (one of ADL's counters includes shared memory: 37 GB on a card with 10). `mb` < 0 or
 * `total` <= 0: not told. */
struct measured adl_vram_used(int code, int mb, int64_t total_bytes);

#endif
