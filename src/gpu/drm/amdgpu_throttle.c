#include "gpu/drm/amdgpu_throttle.h"

static void add_reason(struct adapter_reading *out, const char *name)
{
    if (out->throttle_count < THROTTLE_REASONS_MAX) {
        out->throttle_reasons[out->throttle_count++] = raw_from_string(name);
    }
}

static void read_bits(int64_t bits, struct adapter_reading *out)
{
    for (unsigned bit = 0; bit < 63; bit++) {
        const char *name = gpu_metrics_throttle_name(bit);
        if (name != NULL && (bits >> bit & 1) != 0) {
            add_reason(out, name);
        }
    }
}

/* A counter that grew since the last sample. */
static void read_residencies(const struct gpu_metrics *metrics, struct amdgpu_residencies *last,
                             struct adapter_reading *out)
{
    struct amdgpu_residencies now = {.known = true};
    for (int i = 0; i < AMDGPU_RESIDENCY_COUNT; i++) {
        enum gpu_metric metric = (enum gpu_metric)(METRIC_RESIDENCY_PROCHOT + i);
        now.counts[i] = metrics->values[metric];
        if (now.counts[i].known && last->counts[i].known &&
            now.counts[i].value > last->counts[i].value) {
            add_reason(out, gpu_metrics_residency_name(metric));
        }
    }
    out->throttle_how = last->known ? HOW_REPORTED : HOW_UNAVAILABLE;
    out->throttle_why_not = REASON_need_two_samples;
    *last = now;
}

static bool has_residencies(const struct gpu_metrics *metrics)
{
    bool any = false;
    for (int i = 0; i < AMDGPU_RESIDENCY_COUNT; i++) {
        any = any || metrics->values[METRIC_RESIDENCY_PROCHOT + i].known;
    }
    return any;
}

void amdgpu_throttle_read(const struct gpu_metrics *metrics, struct amdgpu_residencies *last,
                          struct adapter_reading *out)
{
    struct measured independent = metrics->values[METRIC_INDEPENDENT_THROTTLE];
    struct measured status = metrics->values[METRIC_THROTTLE_STATUS];
    out->throttle_count = 0;
    if (independent.known) {
        out->throttle_how = HOW_REPORTED;
        read_bits(independent.value, out);
    } else if (has_residencies(metrics)) {
        read_residencies(metrics, last, out);
    } else if (status.known) {
        /* The bits mean something else on every ASIC: only whether any is set can be told. */
        out->throttle_how = HOW_REPORTED;
        if (status.value != 0) {
            add_reason(out, "unspecified");
        }
    } else {
        out->throttle_how = HOW_UNAVAILABLE;
        out->throttle_why_not = independent.why_not;
    }
}
