/* An adapter as a helper tells it: one line, "adapter" and its pairs. One table
 * (adapter_fields.def) serves both sides. */
#ifndef GPU_HELPER_ADAPTER_LINE_H
#define GPU_HELPER_ADAPTER_LINE_H

#include <stdbool.h>

#include "base/arena.h"
#include "gpu/helper/record.h"
#include "reading/adapter.h"

void adapter_line_write(const struct adapter_reading *adapter, struct record_lines *lines);
/* The pairs after the word, into a zeroed reading; texts go into the arena. False when malformed.
 */
bool adapter_line_read(struct arena *arena, struct raw_text pairs, struct adapter_reading *adapter);

/* Makes every figure of an adapter unavailable for one reason; identity and state stay. */
void adapter_line_set_unknown(struct adapter_reading *adapter, enum reason why_not);

#endif
