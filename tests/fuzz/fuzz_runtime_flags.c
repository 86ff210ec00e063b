/* Arguments and an environment of any bytes: bounded, and never an API key in what is kept. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/name_pattern.h"
#include "inspect/runtime_flags.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inside(struct raw_text text, const char *bytes, size_t size)
{
    if (text.bytes && text.length &&
        (text.bytes < bytes || text.bytes + text.length > bytes + size)) {
        abort();
    }
}

static void try_patterns(const struct runtime_flags *flags)
{
    struct name_pattern *pattern = malloc(sizeof *pattern);
    for (size_t i = 0; i < flags->model.override_count; i++) {
        if (name_pattern_compile(pattern, flags->model.overrides[i].pattern)) {
            name_pattern_finds(pattern, "blk.12.ffn_gate_up_exps.weight");
            name_pattern_finds(pattern, "");
        }
    }
    free(pattern);
}

/* The first byte says where the environment begins. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct raw_text argv[RUNTIME_ARGUMENTS_MAX];
    struct runtime_flags flags;
    struct problem problem = {""};
    if (size == 0) {
        return 0;
    }
    char *bytes = malloc(size);
    memcpy(bytes, data, size);
    size_t cut = 1 + (size_t)data[0] * (size - 1) / 255;
    struct raw_text command = {bytes + 1, cut - 1}, environment = {bytes + cut, size - cut};
    size_t count = runtime_flags_split(command, argv, RUNTIME_ARGUMENTS_MAX);
    if (!runtime_flags_parse(argv, count, environment, true, &flags, &problem) &&
        !problem.text[0]) {
        abort();
    }
    if (!runtime_flags_parse(argv, count, environment, false, &flags, &problem)) {
        abort();
    }
    check_inside(flags.model.path, bytes, size);
    check_inside(flags.mmproj, bytes, size);
    check_inside(flags.host, bytes, size);
    check_inside(runtime_flags_api_key(argv, count, environment), bytes, size);
    if (flags.model.device_count > RUNTIME_DEVICES_MAX ||
        flags.model.override_count > RUNTIME_OVERRIDES_MAX || flags.slots < 0 ||
        flags.model.context < 0 || runtime_flags_slots(&flags) < 1) {
        abort();
    }
    try_patterns(&flags);
    free(bytes);
    return 0;
}
