#include "base/text.h"
#include "inspect/classify.h"
#include "inspect/identify.h"
#include "inspect/reconcile.h"
#include "sampler/assemble_parts.h"

enum { GPUS_MAX = 64 };

const struct gathered *step_gathered(const struct step *step, struct identity identity)
{
    const struct process_places *places = map_get(step->assembler->places, &identity);
    return places && places->inspection
               ? &step->input->inspections[places->inspection - 1]->gathered
               : NULL;
}

static double gib(int64_t bytes)
{
    return (double)bytes / (1024.0 * 1024.0 * 1024.0);
}

/* An estimate that exceeds what was measured is said to be one. */
static void note_excess(struct step *step, const struct process *process,
                        const struct reconciled *results)
{
    for (size_t i = 0; i < process->gpu_count && i < GPUS_MAX; i++)
        if (results[i].verdict == RECONCILE_OVER)
            step_note(step, TEXT("models_exceed_memory"),
                      text_format(
                          step->snapshot->arena,
                          "%.*s %.*s: its models should hold %.2f GiB (%s) on %.*s, more "
                          "than the %.2f GiB that it has there",
                          (int)process->label.size, process->label.utf8, (int)process->name.size,
                          process->name.utf8 ? process->name.utf8 : "", gib(results[i].parts_bytes),
                          how_name(results[i].parts_how), (int)process->gpus[i].adapter_id.size,
                          process->gpus[i].adapter_id.utf8, gib(results[i].memory_bytes)));
}

static void note_gathered(struct step *step, const struct process *process,
                          const struct gathered *gathered)
{
    for (size_t i = 0; i < gathered->note_count; i++)
        step_note(step, TEXT("inspect"),
                  text_format(step->snapshot->arena, "%.*s: %.*s", (int)process->label.size,
                              process->label.utf8, (int)gathered->notes[i].size,
                              gathered->notes[i].utf8));
}

static void identify_process(struct step *step, struct process *process)
{
    struct snapshot *snapshot = step->snapshot;
    const struct gathered *gathered = step_gathered(step, process->identity);
    if (!gathered)
        return;
    const struct identify_scene scene = {
        .adapters = snapshot->adapters,
        .adapter_count = snapshot->adapter_count,
        .uses = process->gpus,
        .use_count = process->gpu_count,
    };
    struct model_list models = identify(snapshot->arena, gathered, &scene);
    process->models = models.items;
    process->model_count = models.count;
    process->models_known = true;
    classify_by_models(process);
    note_gathered(step, process, gathered);
    if (process->gpu_count > GPUS_MAX)
        return;
    struct reconciled results[GPUS_MAX];
    reconcile(snapshot->adapters, snapshot->adapter_count, process, results);
    note_excess(step, process, results);
}

void assemble_models(struct step *step)
{
    for (size_t i = 0; i < step->snapshot->process_count; i++)
        identify_process(step, &step->snapshot->processes[i]);
}
