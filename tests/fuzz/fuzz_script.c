/* The variables of a recorded machine: one value each, separated by line ends. */
#include <stdlib.h>
#include <string.h>

#include "os/recorded/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    char *rest = text;
    struct script_variables variables = {0};
    variables.sysroot = strsep(&rest, "\n");
    variables.sample_times = strsep(&rest, "\n");
    variables.wall_times = strsep(&rest, "\n");
    variables.self_pid = strsep(&rest, "\n");
    struct sample_script *script;
    struct problem problem = {""};
    if (sample_script_parse(&variables, &script, &problem)) {
        int64_t earlier = INT64_MIN, ns;
        for (uint64_t i = 0; script && i < 8; i++)
            if (sample_script_running_ns(script, i, &ns)) {
                if (ns < earlier)
                    abort();
                earlier = ns;
            }
        sample_script_free(&script);
    } else if (problem.text[0] == '\0') {
        abort();
    }
    free(text);
    return 0;
}
