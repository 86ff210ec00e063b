#include "gpu/drm/intel_energy.h"

static const int64_t power_max_microwatts = INT64_C(2000) * 1000000;

static bool has_grown(struct measured now, struct measured before)
{
    return now.known && before.known && now.value > before.value;
}

/* The growth of one counter since the last sample, as power. */
static struct said power_of(struct measured now, struct measured before, int64_t elapsed_ns)
{
    if (!now.known || !before.known) {
        return said_unknown(now.known ? REASON_need_two_samples : now.why_not);
    }
    if (now.value < before.value || elapsed_ns < 0) {
        return said_unknown(REASON_counter_not_monotonic);
    }
    /* A card always draws something: a counter that stood still was not updated in between. */
    if (now.value == before.value || elapsed_ns == 0) {
        return said_unknown(REASON_need_two_samples);
    }
    double microwatts = ((double)now.value - (double)before.value) * 1e9 / (double)elapsed_ns;
    if (microwatts > (double)power_max_microwatts) {
        return said_unknown(REASON_incredible_value);
    }
    return said_measured((int64_t)(microwatts + 0.5));
}

static void choose(struct intel_energy *energy, const struct intel_energy_seen *seen)
{
    if (has_grown(seen->card, energy->card)) {
        energy->moving = INTEL_COUNTER_CARD;
    } else if (has_grown(seen->package, energy->package) && energy->moving != INTEL_COUNTER_CARD) {
        energy->moving = INTEL_COUNTER_PACKAGE;
    }
}

void intel_energy_step(struct intel_energy *energy, const struct intel_energy_seen *seen,
                       struct intel_energy_said *said)
{
    if (!seen->card.known && !seen->package.known) {
        said->energy = said->power = said_unknown(seen->card.why_not);
        return;
    }
    choose(energy, seen);
    bool by_package = energy->moving == INTEL_COUNTER_PACKAGE || !seen->card.known;
    struct measured now = by_package ? seen->package : seen->card;
    struct measured before = by_package ? energy->package : energy->card;
    bool only_one = seen->card.known != seen->package.known;
    bool counts = energy->moving != INTEL_COUNTER_NONE || (only_one && now.value > 0);
    if (!now.known) {
        said->energy = said_unknown(now.why_not);
    } else {
        said->energy = counts ? said_measured(now.value) : said_unknown(REASON_need_two_samples);
    }
    said->power = energy->known ? power_of(now, before, seen->now_ns - energy->at_ns)
                                : said_unknown(REASON_need_two_samples);
    energy->known = true;
    energy->at_ns = seen->now_ns;
    energy->card = seen->card;
    energy->package = seen->package;
}
