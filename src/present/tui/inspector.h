/* The parts of the inspector's page. Internal to inspector*.c. */
#ifndef PRESENT_TUI_INSPECTOR_H
#define PRESENT_TUI_INSPECTOR_H

#include "present/tui/ui.h"

enum { INSPECTOR_LABEL_X = 2, INSPECTOR_VALUE_X = 16 };

/* `before` and the text, or nothing when there is no text. */
void inspector_text(struct page *page, const char *before, struct text text, enum style style);
/* Begins a line with its label; what follows stands at INSPECTOR_VALUE_X. */
void inspector_label(struct page *page, const char *words);
/* A line of bytes, as a bar of `whole` (0: none) too where there is room, and how they are known.
 */
void inspector_bytes(struct page *page, const char *name, double bytes, double whole,
                     const char *source, enum style style);
/* Its models on one adapter: bars of `whole` bytes. */
void inspector_models(struct page *page, const struct row *row, const struct gpu_use *use,
                      double whole, bool full);
void inspector_models_elsewhere(struct page *page, const struct process *process);
bool inspector_has_parts(const struct process *process, const struct gpu_use *use);
/* What the runtime says of a model now; nothing when it says nothing. */
void inspector_live(struct page *page, const struct model *model);
/* One process on one adapter; `full` leaves nothing out. */
void inspector_use(struct ui *ui, struct page *page, const struct row *row,
                   const struct gpu_use *use, bool full);

#endif
