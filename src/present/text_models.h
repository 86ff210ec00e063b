/* Models and what they hold on each device, as plain text: `inspect FILE`, `inspect --log FILE`. */
#ifndef PRESENT_TEXT_MODELS_H
#define PRESENT_TEXT_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "snapshot/snapshot.h"

/* Writing errors stay in the FILE for the caller. */
void text_models(FILE *file, const struct model *models, size_t model_count,
                 const struct note *notes, size_t note_count, bool ascii);

#endif
