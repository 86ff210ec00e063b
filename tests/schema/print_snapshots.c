/* Prints snapshots, one a line, for the schema check: one that has a bit of everything first, then
 * random ones whose amounts are not negative. */
#include <stdio.h>

#include "snapshot/json.h"

#include "../unit/snapshot_random.h"

/* The first random snapshot that holds what the breakages of refusals.mjs break. */
static bool has_everything(const struct snapshot *snapshot)
{
    return snapshot->adapter_count > 0 && snapshot->process_count > 0 &&
           snapshot->processes[0].gpu_count > 0 && snapshot->processes[0].model_count > 0 &&
           snapshot->processes[0].models[0].device_count > 0;
}

static void print_snapshot(struct snapshot *snapshot, bool pretty)
{
    struct buffer out = {0};
    snapshot_write(snapshot, pretty, &out);
    fwrite(out.bytes, 1, out.size, stdout);
    putchar('\n');
    buffer_free(&out);
}

int main(int argc, char **argv)
{
    bool everything = argc > 1 && strcmp(argv[1], "everything") == 0;
    unsigned printed = 0;
    for (unsigned seed = 1; printed < (everything ? 1U : 100U); seed++) {
        struct snapshot *snapshot = random_snapshot_plausible(NULL, seed);
        if (!everything || has_everything(snapshot)) {
            print_snapshot(snapshot, everything);
            printed++;
        }
        snapshot_drop(&snapshot);
    }
    return 0;
}
