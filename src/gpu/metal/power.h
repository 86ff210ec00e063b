/* What IOReport and the sensors say of the GPU's power, frequency and temperature.
 *
 * "GPU Stats"/"GPU Performance States"/GPUPH: residencies of OFF and P1 ... Pn. Active is all but
 * OFF, IDLE and DOWN; the frequency is the mean over the active ones. State Pk is the k-th
 * frequency of the pmgr's table, zeros left out; a table with fewer entries says nothing. Values
 * are in Hz or, above M3, in kHz in some tables: decided by magnitude a value, never by the chip's
 * name. "Energy Model": channels of the GPU, one a die on Ultra chips, in the unit that the label
 * names. A gated sensor shows nonsense: only 10 to 150 degrees count, and their mean is shown.
 *
 * Sources: public observations of libIOReport (docs/macos.md); no header is published. */
#ifndef GPU_METAL_POWER_H
#define GPU_METAL_POWER_H

#include "base/arena.h"
#include "gpu/metal/metal_sample.h"
#include "reading/adapter.h"

/* Frequencies in Hz of the table's non-zero entries; how many, at most `most`. */
size_t metal_frequencies(struct raw_text table, int64_t *hz, size_t most);
/* A value of such a table: Hz above 1e8, else kHz. 0: it cannot be a frequency. */
int64_t metal_frequency_hz(uint64_t value);

struct metal_residency {
    struct said active_millipercent;
    struct said clock_hz;
};
struct metal_residency metal_residency(const struct metal_state *states, size_t state_count,
                                       const int64_t *hz, size_t hz_count);

/* Energy of one channel over the time as power; unknown for an unknown unit or a negative energy.
 */
struct said metal_power_microwatts(struct raw_text unit, int64_t energy, int64_t elapsed_ns);
/* True for the GPU's own energy: "GPU Energy", "DIE_1_GPU Energy". Not its SRAM's. */
bool metal_is_gpu_energy(struct raw_text channel);

/* The mean of the plausible ones; unknown when none is. */
struct said metal_temperature(const struct metal_sensor *sensors, size_t count);

/* All of it into the adapter; what it has from its driver already stays. */
void metal_set_power(const struct metal_power *power, struct adapter_reading *adapter);

#endif
