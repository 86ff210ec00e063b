/* Any bytes: the reader accepts or refuses them; what it accepts survives being written and read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot/equal.h"
#include "snapshot/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void give_up(const char *what, const struct problem *problem)
{
    fprintf(stderr, "%s: %s\n", what, problem->text);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct problem problem = {""};
    struct snapshot *first = snapshot_read((const char *)data, size, "input", 1, NULL, &problem);
    if (!first) {
        if (strncmp(problem.text, "input:", 6) != 0) {
            give_up("refused without a place", &problem);
        }
        return 0;
    }
    struct buffer out = {0};
    snapshot_write(first, data[size - 1] % 2 == 0, &out);
    struct snapshot *second = snapshot_read(out.bytes, out.size, "written", 1, NULL, &problem);
    if (!second) {
        give_up("does not read what it wrote", &problem);
    } else if (!snapshot_equal(first, second, &problem)) {
        give_up("reads back something else", &problem);
    }
    buffer_free(&out);
    snapshot_drop(&second);
    snapshot_drop(&first);
    return 0;
}
