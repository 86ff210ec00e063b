#include "gpu/metal/metal_door.h"

#include <string.h>

struct metal_door *metal_door_open(struct problem *problem)
{
    problem_set(problem, "this is no macOS");
    return NULL;
}

void metal_door_close(struct metal_door **door)
{
    *door = NULL;
}

void metal_door_read(struct metal_door *door, struct arena *arena, struct metal_sample *sample)
{
    (void)door;
    (void)arena;
    memset(sample, 0, sizeof *sample);
    sample->status = METAL_UNSUPPORTED;
}

void metal_door_find(struct metal_door *door, struct arena *arena, struct metal_sample *sample)
{
    metal_door_read(door, arena, sample);
}

void metal_door_ledger_names(struct metal_door *door, struct arena *arena,
                             struct metal_ledger_names *names)
{
    (void)door;
    (void)arena;
    memset(names, 0, sizeof *names);
    names->status = METAL_UNSUPPORTED;
}

void metal_door_ledger(struct metal_door *door, int64_t pid, size_t count,
                       struct metal_ledger *ledger)
{
    (void)door;
    (void)pid;
    (void)count;
    ledger->status = METAL_UNSUPPORTED;
    ledger->count = 0;
}

void metal_door_power(struct metal_door *door, struct arena *arena, struct metal_power *power)
{
    (void)door;
    (void)arena;
    memset(power, 0, sizeof *power);
    power->report_status = power->smc_status = power->hid_status = METAL_UNSUPPORTED;
}
