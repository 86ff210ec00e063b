#include "rules/driver_version.h"

#include "base/lines.h"
#include "base/number.h"

struct driver_version driver_version_of(const struct nvml_seen *nvml)
{
    struct driver_version version = {{0, 0, 0}};
    for (size_t i = 0; i < nvml->adapter_count && version.parts[0] == 0; i++) {
        struct raw_text rest = nvml->adapters[i].driver_version, field;
        uint64_t number;
        for (size_t k = 0; k < 3 && fields_next(&rest, '.', &field) &&
                           number_parse_u64(field, &number, NULL) && number <= UINT32_MAX;
             k++)
            version.parts[k] = (uint32_t)number;
    }
    return version;
}

bool driver_version_at_least(struct driver_version version, uint32_t major, uint32_t minor,
                             uint32_t patch)
{
    const uint32_t wanted[3] = {major, minor, patch};
    for (size_t i = 0; i < 3; i++)
        if (version.parts[i] != wanted[i])
            return version.parts[i] > wanted[i];
    return true;
}

bool driver_translates_lists(const struct nvml_seen *nvml)
{
    return driver_version_at_least(driver_version_of(nvml), 535, 113, 1);
}

bool driver_translates_samples(const struct nvml_seen *nvml)
{
    return driver_version_at_least(driver_version_of(nvml), 570, 86, 15);
}
