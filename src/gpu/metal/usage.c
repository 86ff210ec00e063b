#include "gpu/metal/usage.h"

#include "base/number.h"

void metal_usage_add(struct metal_client *client, struct measured time_ns)
{
    int64_t sum;
    bool good = client->usage_entries < METAL_USAGE_MAX && time_ns.known && time_ns.value >= 0 &&
                client->gpu_time_ns <= INT64_MAX &&
                number_add_i64((int64_t)client->gpu_time_ns, time_ns.value, &sum);
    client->usage_entries++;
    if (good)
        client->gpu_time_ns = (uint64_t)sum;
    else
        client->bad_entries++;
}
