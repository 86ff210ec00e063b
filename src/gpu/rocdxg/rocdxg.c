/* AMD GPUs in WSL, through librocdxg in a helper process. ROCm's usual libraries (ROCm SMI, AMD SMI
 * without its WSL half) find no amdgpu module there. It names Windows' processes only, and of those
 * only the memory, which the Windows host tells better: they are not asked for. */
#include <stdio.h>
#include <string.h>

#include "gpu/backend.h"
#include "gpu/helper/candidates.h"
#include "gpu/rocdxg/rocdxg_lines.h"
#include "gpu/rocdxg/rocdxg_serve.h"

static const char variable[] = "GPUTASKMAN_ROCDXG";

static bool rocdxg_belongs(struct machine *machine)
{
    return machine_mode(machine) == MODE_WSL;
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
    if (candidates_exist(machine->root, "librocdxg.so.1", rocdxg_places()) ||
        candidates_exist(machine->root, "librocdxg.so", rocdxg_places()))
        return true;
    return problem_set(problem, "librocdxg.so.1 was not found: it comes with ROCm for WSL");
}

static bool rocdxg_should_ask(struct backend_state *state, struct machine *machine,
                              const struct pass *pass, struct reading *reading)
{
    (void)state;
    (void)pass;
    if (has_library(machine, &reading->problem))
        return true;
    reading->state = SOURCE_ABSENT;
    return false;
}

static void rocdxg_write_request(struct backend_state *state, const struct pass *pass, char *line,
                                 size_t size)
{
    (void)state;
    const struct rocdxg_request request = {.running_ns = pass->running_ns,
                                           .everything = pass->one_shot || pass->wanted.all_static};
    rocdxg_request_write(&request, line, size);
}

static void say_failure(const struct rocdxg_opening *opening, struct reading *reading)
{
    bool named = candidates_named(variable) != NULL;
    reading->state = opening->loaded && opening->has_monitoring ? SOURCE_FAILED : SOURCE_ABSENT;
    if (named)
        reading->state = SOURCE_FAILED;
    reading->has_code = reading->state == SOURCE_FAILED;
    reading->code = REASON_call_failed;
    if (!opening->loaded)
        problem_set(&reading->problem, "%s", opening->words);
    else if (!opening->has_monitoring)
        problem_set(&reading->problem,
                    "%s is too old to tell how the GPU is: install a newer ROCm for WSL (rocdxg "
                    "1.2 and later can)",
                    opening->path);
    else
        problem_set(&reading->problem,
                    "AMD's library for ROCm in WSL cannot be used: %s (code %d, "
                    "%s)",
                    opening->words, opening->code, opening->path);
}

static bool is_known(const struct adapter_reading *adapters, size_t before, const char *id)
{
    for (size_t i = 0; i < before; i++)
        if (strcmp(adapters[i].id, id) == 0)
            return true;
    return false;
}

/* Without an address of its own a device goes by its place. */
static void complete(struct adapter_reading *adapters, size_t at)
{
    struct adapter_reading *adapter = &adapters[at];
    adapter->source = backend_rocdxg.name;
    if (!adapter->id[0] || is_known(adapters, at, adapter->id))
        snprintf(adapter->id, sizeof adapter->id, "rocdxg:%d", (int)adapter->driver_index);
}

static bool rocdxg_read_answer(struct backend_state *state, struct raw_text lines,
                               struct reading *reading)
{
    (void)state;
    struct rocdxg_opening opening;
    struct adapter_reading *adapters;
    size_t count;
    if (!rocdxg_answer_read(lines, reading->arena, &opening, &adapters, &count))
        return false;
    if (count == 0) {
        say_failure(&opening, reading);
        return true;
    }
    for (size_t i = 0; i < count; i++)
        complete(adapters, i);
    reading->adapters = adapters;
    reading->adapter_count = count;
    reading->state = SOURCE_OK;
    reading->detail = (struct raw_text){
        arena_string(reading->arena, opening.path, strlen(opening.path)), strlen(opening.path)};
    return true;
}

const struct backend backend_rocdxg = {
    .name = "rocdxg",
    .belongs = rocdxg_belongs,
    .should_ask = rocdxg_should_ask,
    .write_request = rocdxg_write_request,
    .read_answer = rocdxg_read_answer,
    .serve = rocdxg_serve,
};
