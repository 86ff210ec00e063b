/* Why a figure is not there, in one sentence with the process's or adapter's own facts. Pure. The
 * sentences hold texts of the snapshot: they reach a terminal through text_out() or screen_put().
 */
#ifndef VIEW_REASONS_TEXT_H
#define VIEW_REASONS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot/snapshot.h"
#include "view/columns.h"
#include "view/rows.h"

enum { REASON_TEXT_SIZE = 320 };

/* Why this row's cell in `column` is n/a: "kwin_wayland shares its buffers and holds the primary
 * node, so its bytes can't be told apart". "" where the cell is not n/a. */
void reason_of_cell(const struct row *row, enum column column, char out[REASON_TEXT_SIZE]);
/* Why its VRAM is n/a: every reason that holds. `name` is the subject ("kwin_wayland", or "they"
 * with plural). */
void reason_of_memory(struct reason_set reasons, const char *name, bool plural,
                      char out[REASON_TEXT_SIZE]);
/* The same without a subject, where there is one line: "shares its buffers, holds the primary
 * node". False: none of the reasons is of this kind, and `out` is as it was. */
bool reason_of_memory_brief(struct reason_set reasons, char out[REASON_TEXT_SIZE]);
/* The words for a reason in this column: reason_words(), but of load where those speak of bytes. */
const char *reason_words_in(enum snapshot_mode mode, enum column column, enum reason reason);
/* reason_words(), with what to do about it on that system. */
const char *reason_words_on(enum snapshot_mode mode, enum reason reason);
/* Why an adapter's figure is n/a: "load n/a: the GPU is asleep and reading this would wake it". */
void reason_of_adapter(const char *figure, enum reason why_not, char out[REASON_TEXT_SIZE]);
/* How many processes could not be read and what to do about it, one sentence; "" when none. */
void reason_of_unreadable(const struct process_status *status, char out[REASON_TEXT_SIZE]);

#endif
