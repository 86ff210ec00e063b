/* A snapshot from outside (a recording, a remote machine) as plain text: whatever it says, no
 * escape sequence comes out, and the map and the table hold. The first byte chooses width and
 * ASCII. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "present/text.h"
#include "snapshot/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(FILE *file, bool ascii)
{
    int c;
    rewind(file);
    while ((c = fgetc(file)) != EOF)
        if ((c < ' ' && c != '\n') || c == 127 || (ascii && c > '~'))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct problem problem;
    if (size == 0)
        return 0;
    struct text_options options = {.width = (data[0] & 127U) * 2,
                                   .ascii = (data[0] & 128U) != 0,
                                   .rows = {.all = true, .sort = COLUMN_vram}};
    struct snapshot *snapshot =
        snapshot_read((const char *)data + 1, size - 1, "fuzz", 1, NULL, &problem);
    FILE *file = snapshot != NULL ? tmpfile() : NULL;
    if (file != NULL) {
        text_snapshot(file, snapshot, &options);
        text_list_gpus(file, snapshot, &options);
        check(file, options.ascii);
        fclose(file);
    }
    snapshot_drop(&snapshot);
    return 0;
}
