#include "rules/wsl_foreign.h"

enum { STEADY_LEAST = 10 };

bool foreign_has(const struct foreign_sizes *sizes, int64_t bytes)
{
    for (size_t i = 0; i < sizes->count; i++)
        if (sizes->bytes[i] == bytes)
            return true;
    return false;
}

static void foreign_add(struct foreign_sizes *sizes, int64_t bytes)
{
    if (!foreign_has(sizes, bytes) && sizes->count < FOREIGN_SIZES_MAX)
        sizes->bytes[sizes->count++] = bytes;
}

static bool is_noted(const struct foreign_trace *traces, size_t count, int64_t bytes)
{
    for (size_t i = 0; i < count; i++)
        if (traces[i].noted && traces[i].bytes.known && traces[i].bytes.value == bytes)
            return true;
    return false;
}

void foreign_bind(const struct foreign_sizes *sizes, struct foreign_trace *traces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        traces[i].noted = traces[i].bytes.known && foreign_has(sizes, traces[i].bytes.value);
}

void foreign_busy(struct foreign_sizes *sizes, const struct foreign_trace *before,
                  size_t before_count, const struct foreign_trace *after, size_t after_count)
{
    size_t kept = 0;
    for (size_t i = 0; i < sizes->count; i++) {
        bool gone = is_noted(before, before_count, sizes->bytes[i]) &&
                    !is_noted(after, after_count, sizes->bytes[i]);
        if (!gone)
            sizes->bytes[kept++] = sizes->bytes[i];
    }
    sizes->count = kept;
}

void foreign_idle(struct foreign_sizes *sizes, struct foreign_trace *traces, size_t count)
{
    *sizes = (struct foreign_sizes){.count = 0};
    for (size_t i = 0; i < count; i++) {
        struct foreign_trace *trace = &traces[i];
        trace->noted = trace->bytes.known && trace->bytes.value > 0 && !trace->left_behind &&
                       trace->suspect == 0 && (!trace->changed || trace->steady >= STEADY_LEAST);
        if (trace->noted)
            foreign_add(sizes, trace->bytes.value);
    }
}
