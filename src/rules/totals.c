#include "rules/totals.h"

#include "base/number.h"

void total_add(struct total *total, struct measured value)
{
    if (!value.known) {
        total->unknown++;
        return;
    }
    total->known++;
    if (!number_add_i64(total->sum, value.value, &total->sum))
        total->overflowed = true;
}

struct measured total_value(const struct total *total)
{
    return total->overflowed ? measured_unknown(REASON_incredible_value)
                             : measured_known(total->sum);
}

struct measured total_unattributed(struct measured used, struct measured attributed, bool *exceeds)
{
    *exceeds = false;
    if (!used.known)
        return used;
    if (!attributed.known)
        return attributed;
    *exceeds = attributed.value > used.value;
    return measured_known(*exceeds ? 0 : used.value - attributed.value);
}
