/* Must not compile: bytes from outside reach a snapshot only through text_from_raw(). */
#include "snapshot/snapshot.h"

void keep_raw_name(struct process *process, struct raw_text name);

void keep_raw_name(struct process *process, struct raw_text name)
{
    process->name = name;
}
