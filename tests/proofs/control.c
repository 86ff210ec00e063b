/* Must compile: the same two things done the right way, so that the other files fail for their own
 * reason and not for a wrong path or flag. */
#include "rules/totals.h"
#include "snapshot/snapshot.h"

void add_a_counter(struct total *total);
void keep_name(struct arena *arena, struct process *process, struct raw_text name);

void add_a_counter(struct total *total)
{
    struct measured counter = measured_known(1);
    total_add(total, counter);
}

void keep_name(struct arena *arena, struct process *process, struct raw_text name)
{
    process->name = text_from_raw(arena, name);
}
