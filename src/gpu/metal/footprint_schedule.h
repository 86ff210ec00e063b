/* When the graphics memory of a process is measured with `footprint`, which costs a tenth of a
 * second and holds the process up: a step with its clock as an argument (SPEC section 5).
 *
 * New and busy processes are due in each pass, passes being PASS apart; idle ones IDLE after their
 * last attempt. A failure keeps the last size; after FAILURES in a row there is a pause of
 * BACK_OFF, counted from the last of them. Everything is keyed by the process's identity: another
 * start stamp is another process, which is n/a until it is first measured. */
#ifndef GPU_METAL_FOOTPRINT_SCHEDULE_H
#define GPU_METAL_FOOTPRINT_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reading/identity.h"
#include "reading/measured.h"

enum { FOOTPRINT_FAILURES = 3, FOOTPRINT_PROCESSES_MAX = 1024 };
#define FOOTPRINT_PASS_NS INT64_C(2000000000)
#define FOOTPRINT_IDLE_NS INT64_C(30000000000)
#define FOOTPRINT_BACK_OFF_NS INT64_C(60000000000)

struct footprint_schedule;

struct footprint_schedule *footprint_schedule_new(void);
void footprint_schedule_free(struct footprint_schedule **schedule);

/* Begins a pass: processes that are not asked about in it are forgotten at the next one. */
void footprint_schedule_begin(struct footprint_schedule *schedule);
/* Whether this process is to be measured now. */
bool footprint_schedule_due(struct footprint_schedule *schedule, struct identity process, bool busy,
                            int64_t now_ns);
/* A measurement began; then its result, unknown when it failed. */
void footprint_schedule_started(struct footprint_schedule *schedule, struct identity process,
                                int64_t now_ns);
void footprint_schedule_result(struct footprint_schedule *schedule, struct identity process,
                               struct measured bytes, int64_t now_ns);
/* The last size measured of exactly this process; starting: none yet; call_failed: each try failed.
 */
struct measured footprint_schedule_bytes(const struct footprint_schedule *schedule,
                                         struct identity process);

#endif
