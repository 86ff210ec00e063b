#include "gpu/helper/serve.h"

#include <stdio.h>

#include "base/vector.h"
#include "gpu/helper/output.h"
#include "os/helper.h"

/* One answer and the line that ends it; false when nobody reads any more. */
static bool send_answer(FILE *output, struct record_lines *lines)
{
    record_write_format(lines, "end\n");
    return fwrite(lines->items, 1, lines->count, output) == lines->count && fflush(output) == 0;
}

int serve_requests(void (*answer)(void *session, const char *request, struct record_lines *lines),
                   void *session)
{
    FILE *output = output_take();
    if (output == NULL)
        return 1;
    helper_become();
    struct record_lines lines = {0};
    char request[SERVE_REQUEST_SIZE];
    bool heard = true;
    while (heard && helper_read_request(request, sizeof request)) {
        lines.count = 0;
        answer(session, request, &lines);
        heard = send_answer(output, &lines);
    }
    VECTOR_FREE(&lines);
    fclose(output);
    return 0;
}
