#include "os/recorded/macos_input.h"

const struct macos_input *macos_input_of(const struct machine *machine)
{
    return macos_machine_context(machine);
}

const json_t *macos_input_host(const struct macos_input *input)
{
    return json_object_get(input->root, "host");
}

const json_t *macos_input_sample(const struct macos_input *input, uint64_t number)
{
    const json_t *samples = json_object_get(input->root, "samples");
    size_t count = json_array_size(samples);
    return count == 0 ? NULL : json_array_get(samples, number < count ? (size_t)number : count - 1);
}

struct measured macos_input_number(const json_t *value)
{
    return json_is_integer(value) ? measured_known(json_integer_value(value))
                                  : measured_unknown(REASON_not_reported);
}

uint64_t macos_input_id(const json_t *value)
{
    struct measured number = macos_input_number(value);
    return number.known && number.value > 0 ? (uint64_t)number.value : 0;
}
