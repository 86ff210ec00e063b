/* Numbers in words. No locale: the decimal point is '.'. Every function writes a NUL-terminated
 * text into the caller's buffer. What is unknown never comes here: callers say "n/a". */
#ifndef VIEW_UNITS_H
#define VIEW_UNITS_H

#include <stdbool.h>
#include <stdint.h>

enum { UNITS_SIZE = 48 };

/* "18.0 G", "712.0 M", "0", "<0.1 M", "1536 G": GiB from 1000 MiB on, at most 7 cells. */
void units_bytes(double bytes, char out[UNITS_SIZE]);
/* "18.0 GiB", "712.0 MiB", "0": for sentences. */
void units_bytes_long(double bytes, char out[UNITS_SIZE]);
/* "19.1 / 24.0 GiB": both in the unit of the total. */
void units_bytes_of(double bytes, double total_bytes, char out[UNITS_SIZE]);
/* "1.2 GB/s", "340 MB/s", "12 kB/s", "0": decimal, as buses are rated. */
void units_rate(double bytes_per_second, char out[UNITS_SIZE]);
/* "95", "<1" for what is above 0 and rounds to 0. */
void units_percent(double percent, char out[UNITS_SIZE]);
void units_watts(double watts, char out[UNITS_SIZE]); /* "371 W", "9.4 W" below 10 */
void units_celsius(double celsius, bool ascii, char out[UNITS_SIZE]); /* "64 °C", "64 C" */
void units_mhz(double mhz, char out[UNITS_SIZE]);                     /* "2640 MHz" */
/* "<1 s" for what is above 0, "12 s", "8 min 3 s", "5 h 22 min", "3 d 4 h". */
void units_duration(double seconds, char out[UNITS_SIZE]);
/* "11,204": with separators. */
void units_count(int64_t count, char out[UNITS_SIZE]);

#endif
