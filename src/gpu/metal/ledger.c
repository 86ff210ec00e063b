#include "gpu/metal/ledger.h"

static size_t place_of(const struct metal_ledger_names *names, const char *name)
{
    for (size_t i = 0; i < names->count && i < METAL_LEDGER_ENTRIES_MAX; i++)
        if (raw_equal_string(names->names[i], name))
            return i;
    return SIZE_MAX;
}

static void reach(struct ledger_places *places, size_t place)
{
    if (place != SIZE_MAX && place + 1 > places->count)
        places->count = place + 1;
}

struct ledger_places metal_ledger_places(const struct metal_ledger_names *names)
{
    struct ledger_places places = {names->status, SIZE_MAX, SIZE_MAX, SIZE_MAX, 0};
    if (names->status != METAL_OK)
        return places;
    places.graphics = place_of(names, "graphics_footprint");
    places.compressed = place_of(names, "graphics_footprint_compressed");
    places.neural = place_of(names, "neural_footprint");
    if (places.graphics == SIZE_MAX)
        places.status = METAL_UNSUPPORTED;
    reach(&places, places.graphics);
    reach(&places, places.compressed);
    reach(&places, places.neural);
    return places;
}

static struct measured balance(const struct metal_ledger *ledger, size_t place)
{
    if (place >= ledger->count || place >= METAL_LEDGER_ENTRIES_MAX)
        return measured_unknown(REASON_not_reported);
    if (ledger->balances[place] < 0)
        return measured_unknown(REASON_incredible_value);
    return measured_known(ledger->balances[place]);
}

struct ledger_memory metal_ledger_memory(const struct ledger_places *places,
                                         const struct metal_ledger *ledger)
{
    enum metal_status status = places->status != METAL_OK ? places->status : ledger->status;
    if (status != METAL_OK) {
        struct measured unknown =
            measured_unknown(status == METAL_DENIED        ? REASON_sandbox_denies
                             : status == METAL_UNSUPPORTED ? REASON_not_supported
                                                           : REASON_call_failed);
        return (struct ledger_memory){unknown, unknown, unknown};
    }
    return (struct ledger_memory){balance(ledger, places->graphics),
                                  balance(ledger, places->compressed),
                                  balance(ledger, places->neural)};
}
