/* The input.json of a recorded Mac, from the machine to the rows of its processes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/backend.h"
#include "os/recorded/macos_input.h"
#include "rules/metal_rates.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rows(const struct reading *reading, struct metal_rates *rates)
{
    struct arena *arena = arena_new();
    struct metal_rows rows = {NULL, 0};
    const struct metal_reading *metal = reading->metal;
    if (metal)
        metal_rates_step(rates, arena, metal, &rows);
    for (size_t i = 0; i < rows.count; i++)
        if (rows.items[i].process >= metal->process_count ||
            rows.items[i].accelerator >= metal->accelerator_count ||
            !(rows.items[i].load.percent >= 0))
            abort();
    for (size_t i = 0; metal && i < metal->process_count; i++)
        if (metal->processes[i].memory_bytes.known && metal->processes[i].memory_bytes.value < 0)
            abort();
    arena_free(&arena);
}

static void look_inside(struct machine *machine, const struct system_reading *system)
{
    struct arena *arena = arena_new();
    const struct inside *inside = &machine->inside;
    for (size_t i = 0; inside->ops && i < system->everyone_count && i < 4; i++) {
        struct process_about about;
        struct process_files files;
        inside->ops->about(inside, arena, system->everyone[i].pid, &about);
        if (inside->ops->files(inside, arena, system->everyone[i], &files) &&
            files.mapped_count > PROCESS_FILES_MAX)
            abort();
    }
    arena_free(&arena);
}

static void run(struct machine *machine)
{
    const int64_t pids[] = {1, 4245};
    const struct system_request request = {.pids = pids, .pid_count = 2};
    struct backend_state *state = backend_metal.open(machine);
    struct reading *reading = reading_new("metal");
    struct system_reading *system = system_reading_new();
    struct metal_rates *rates = metal_rates_new();
    for (uint64_t number = 0; number < 3; number++) {
        struct pass pass;
        memset(&pass, 0, sizeof pass);
        pass.number = number;
        machine_begin_sample(machine, number, &pass);
        reading_reset(reading, "metal");
        system_reading_reset(system);
        machine_read_system(machine, &pass, &request, system);
        backend_metal.read(state, machine, &pass, system, reading);
        check_rows(reading, rates);
    }
    look_inside(machine, system);
    metal_rates_free(&rates);
    system_reading_free(&system);
    reading_free(&reading);
    backend_metal.close(&state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sample_script script;
    struct machine *machine;
    struct problem problem = {""};
    memset(&script, 0, sizeof script);
    script.recorded = (char *)(uintptr_t) "/nonexistent";
    script.kind = RECORDED_MACOS;
    if (recorded_macos_new(&machine, &script, (const char *)data, size, &problem)) {
        machine->script = &script;
        machine->recorded = true;
        run(machine);
        machine->ops->close(machine);
    }
    free(script.running_ns);
    free(script.wall_ns);
    return 0;
}
