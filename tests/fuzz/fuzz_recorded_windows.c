/* A recorded Windows machine, from its files to the figures: counters.jsonl, adapters.json and
 * processes.json, cut at 0x1E. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "gpu/backend.h"
#include "os/recorded/recorded.h"
#include "rules/wddm_adapters.h"
#include "rules/wddm_rows.h"

#define FOLDER "fuzz-recorded-windows"

enum { FILES = 3, PASSES = 3, CUT = 0x1E };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool put_files(struct raw_text rest)
{
    static const char *const paths[FILES] = {FOLDER "/counters.jsonl", FOLDER "/adapters.json",
                                             FOLDER "/processes.json"};
    struct problem problem;
    bool good = file_make_folder(FOLDER, &problem);
    for (size_t i = 0; i < FILES && good; i++) {
        const char *cut = rest.length ? memchr(rest.bytes, CUT, rest.length) : NULL;
        size_t length = cut ? (size_t)(cut - rest.bytes) : rest.length;
        good = file_write_atomically(paths[i], (struct raw_text){rest.bytes, length}, &problem);
        rest.bytes += length + (cut != NULL);
        rest.length -= length + (cut != NULL);
    }
    return good;
}

static void check_bytes(struct measured bytes)
{
    if (bytes.known && bytes.value < 0)
        abort();
}

static void check_load(struct measured load)
{
    if (load.known && (load.value < 0 || load.value > 100000))
        abort();
}

static void check_sample(struct arena *arena, const struct reading *reading)
{
    struct wddm_rows rows;
    wddm_rows(arena, reading->wddm, NULL, 0, &rows);
    for (size_t i = 0; i < rows.count; i++) {
        check_bytes(rows.items[i].local_bytes);
        check_bytes(rows.items[i].non_local_bytes);
        check_bytes(rows.items[i].paged_bytes);
        check_load(rows.items[i].load_millipercent);
        for (int k = 0; k < ENGINE_COUNT; k++)
            check_load(rows.items[i].engine_millipercent[k]);
    }
    for (size_t i = 0; i < reading->wddm->adapter_count; i++) {
        struct adapter_reading adapter = reading->adapters[i];
        wddm_adapter_figures(arena, reading->wddm, &reading->wddm->adapters[i], &adapter);
        check_bytes(adapter.vram_used_bytes);
        check_bytes(adapter.vram_free_bytes);
        if (adapter.load_millipercent.how != HOW_UNAVAILABLE)
            check_load(measured_known(adapter.load_millipercent.value));
    }
}

static void run(struct machine *machine)
{
    static const int64_t pids[] = {0, 4, 7};
    struct backend_state *state = backend_wddm.open(machine);
    struct system_reading *system = system_reading_new();
    struct reading *reading = reading_new("wddm");
    for (uint64_t number = 0; number < PASSES; number++) {
        struct pass pass = {.number = number, .interval_ns = 1000000000};
        const struct system_request request = {.pids = pids, .pid_count = 3};
        machine_begin_sample(machine, number, &pass);
        system_reading_reset(system);
        reading_reset(reading, "wddm");
        machine_read_system(machine, &pass, &request, system);
        backend_wddm.read(state, machine, &pass, system, reading);
        check_sample(reading->arena, reading);
    }
    reading_free(&reading);
    system_reading_free(&system);
    backend_wddm.close(&state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sample_script *script;
    struct machine *machine;
    struct problem problem;
    if (!put_files((struct raw_text){(const char *)data, size}) ||
        !sample_script_parse(&(struct script_variables){.recorded = FOLDER}, &script, &problem))
        return 0;
    if (!recorded_machine_open(&machine, script, &problem)) {
        sample_script_free(&script);
        return 0;
    }
    machine->script = script;
    machine->recorded = true;
    run(machine);
    machine_close(&machine);
    return 0;
}
