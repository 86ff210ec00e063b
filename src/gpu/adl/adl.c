/* AMD GPUs on Windows: temperatures, power, fans and clocks through ADL (atiadlxx.dll, part of
 * AMD's driver) in a helper process. Memory and processes are the system's own counters' matter
 * (gpu/wddm); ADL's count of memory is said in words only, as a check. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "gpu/adl/adl_cards.h"
#include "gpu/adl/adl_lines.h"
#include "gpu/adl/adl_serve.h"
#include "gpu/backend.h"
#include "gpu/helper/candidates.h"
#include "gpu/helper/display_devices.h"
#include "os/library.h"

struct backend_state {
    struct display_devices devices;
};

static const char variable[] = "GPUTASKMAN_ADL";

static bool adl_belongs(struct machine *machine)
{
    return machine_mode(machine) == MODE_WINDOWS;
}

static struct backend_state *adl_open(struct machine *machine)
{
    (void)machine;
    return memory_new(sizeof(struct backend_state));
}

static void adl_close(struct backend_state **state)
{
    free(*state);
    *state = NULL;
}

static bool has_library(struct machine *machine, struct problem *problem)
{
    const char *name = candidates_named(variable);
    if (name)
        return candidates_can_open(name) ||
               problem_set(problem, "%s names %s, which cannot be opened", variable, name);
    if (machine->recorded)
        return problem_set(problem, "this is a recorded machine, and %s names no library for it",
                           variable);
    return library_of_system_is_there(adl_file_name) ||
           problem_set(problem, "no AMD driver: there is no %s", adl_file_name);
}

/* ADL speaks for all of AMD's GPUs at once: while one sleeps, none is asked. */
static bool must_rest(struct backend_state *state, const struct machine *machine,
                      const struct pass *pass)
{
    if (machine->recorded)
        return false;
    display_devices_refresh(&state->devices, pass->running_ns);
    return adl_must_rest(&state->devices, pass);
}

static bool adl_should_ask(struct backend_state *state, struct machine *machine,
                           const struct pass *pass, struct reading *reading)
{
    if (!has_library(machine, &reading->problem)) {
        reading->state = SOURCE_ABSENT;
        return false;
    }
    if (!must_rest(state, machine, pass))
        return true;
    reading->state = SOURCE_OFF;
    reading->has_code = true;
    reading->code = REASON_device_suspended;
    problem_set(&reading->problem, "a GPU is asleep and ADL would wake it: select it to wake it");
    return false;
}

static void adl_write_request(struct backend_state *state, const struct pass *pass, char *line,
                              size_t size)
{
    (void)state;
    const struct adl_request request = {.running_ns = pass->running_ns,
                                        .everything = pass->one_shot || pass->wanted.all_static};
    adl_request_write(&request, line, size);
}

static void say_failure(const struct adl_opening *opening, struct reading *reading)
{
    bool is_named = candidates_named(variable) != NULL;
    /* A driver whose card is gone, or that is too old, is no fault to shout about. */
    reading->state =
        opening->loaded && opening->fits && opening->code != ADL_OK ? SOURCE_FAILED : SOURCE_ABSENT;
    if (is_named)
        reading->state = SOURCE_FAILED;
    reading->has_code = reading->state == SOURCE_FAILED;
    reading->code = REASON_call_failed;
    if (!opening->loaded)
        problem_set(&reading->problem, "%s", opening->words);
    else if (!opening->fits)
        problem_set(&reading->problem,
                    "%s is too old to tell how the GPU is: install a newer AMD driver",
                    opening->path);
    else if (opening->code == ADL_OK)
        problem_set(&reading->problem, "AMD's driver is there and finds no GPU of its own");
    else
        problem_set(&reading->problem, "AMD's driver cannot be asked: %s (code %d, %s)",
                    opening->words, opening->code, opening->path);
}

static void say_detail(const struct adl_answer *answer, struct reading *reading)
{
    char detail[1024];
    int used = snprintf(detail, sizeof detail, "%s", answer->opening.path);
    for (size_t i = 0; i < answer->note_count && used > 0 && used < (int)sizeof detail; i++)
        used += snprintf(detail + used, sizeof detail - (size_t)used, "; %.*s",
                         (int)answer->notes[i].length, answer->notes[i].bytes);
    reading->detail =
        (struct raw_text){arena_string(reading->arena, detail, strlen(detail)), strlen(detail)};
}

static bool adl_read_answer(struct backend_state *state, struct raw_text lines,
                            struct reading *reading)
{
    (void)state;
    struct adl_answer answer;
    if (!adl_answer_read(lines, reading->arena, &answer))
        return false;
    if (answer.adapter_count == 0) {
        say_failure(&answer.opening, reading);
        return true;
    }
    for (size_t i = 0; i < answer.adapter_count; i++)
        answer.adapters[i].source = backend_adl.name;
    reading->adapters = answer.adapters;
    reading->adapter_count = answer.adapter_count;
    reading->state = SOURCE_OK;
    say_detail(&answer, reading);
    return true;
}

const struct backend backend_adl = {
    .name = "adl",
    .belongs = adl_belongs,
    .open = adl_open,
    .close = adl_close,
    .should_ask = adl_should_ask,
    .write_request = adl_write_request,
    .read_answer = adl_read_answer,
    .serve = adl_serve,
};
