/* What footprint(1) prints, what its helper answers, and the string that names a client's creator.
 */
#include <stdint.h>
#include <stdlib.h>

#include "gpu/metal/creator.h"
#include "gpu/metal/footprint.h"
#include "gpu/metal/footprint_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct raw_text text = {(const char *)data, size}, name;
    int64_t bytes = 0, pid = 0, pids[FOOTPRINT_REQUEST_PIDS];
    struct measured measured;
    if ((footprint_text_parse(text, 7, &bytes) && bytes < 0) ||
        (footprint_json_parse(text, 7, &bytes) && bytes < 0))
        abort();
    if (metal_creator_parse(text, &pid, &name) && (pid < 0 || pid > INT32_MAX))
        abort();
    if (footprint_request_read(text, pids) > FOOTPRINT_REQUEST_PIDS)
        abort();
    while (footprint_answer_next(&text, &pid, &measured))
        if (measured.known && measured.value < 0)
            abort();
    return 0;
}
