#include "sampler/assemble_parts.h"

static struct text text_of(struct step *step, struct raw_text raw)
{
    return raw.bytes ? text_from_raw(step->snapshot->arena, raw) : TEXT_NONE;
}

void assemble_container(struct step *step, const struct process_reading *seen,
                        struct container *container)
{
    const struct container_reading *place = seen->container;
    if (step->input->mode == SNAPSHOT_CONTAINER || !place)
        return;
    *container = (struct container){
        .present = true,
        .runtime = text_from_raw(step->snapshot->arena, raw_from_string(place->runtime)),
        .id = text_of(step, place->id),
        .name = text_of(step, place->name),
        .pod = text_of(step, place->pod),
    };
}
