#include "reading/wddm.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    uint32_t id;
    const char *name;
} vendors[] = {{0x10de, "nvidia"}, {0x1002, "amd"}, {0x8086, "intel"}, {0x4d4f4351, "qualcomm"}};

struct raw_text wddm_vendor_name(uint32_t vendor_id)
{
    for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++)
        if (vendors[i].id == vendor_id)
            return raw_from_string(vendors[i].name);
    return (struct raw_text){NULL, 0};
}

void wddm_adapter_id(uint64_t luid, char id[ADAPTER_ID_SIZE])
{
    snprintf(id, ADAPTER_ID_SIZE, "luid:0x%08" PRIx32 "_0x%08" PRIx32, (uint32_t)(luid >> 32),
             (uint32_t)luid);
}

bool wddm_adapter_luid(const char *id, uint64_t *luid)
{
    uint32_t high, low;
    char again[ADAPTER_ID_SIZE];
    if (sscanf(id, "luid:0x%8" SCNx32 "_0x%8" SCNx32, &high, &low) != 2)
        return false;
    *luid = (uint64_t)high << 32 | low;
    wddm_adapter_id(*luid, again);
    return strcmp(id, again) == 0;
}
