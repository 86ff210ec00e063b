#include "os/macos/host.h"

#include <string.h>

void macos_ticks_take(struct macos_ticks *ticks, const uint32_t now[MACOS_CPU_STATES],
                      struct host_reading *host)
{
    uint64_t all = 0;
    for (int i = 0; i < MACOS_CPU_STATES; i++) {
        ticks->total[i] += ticks->started ? (uint32_t)(now[i] - ticks->last[i]) : now[i];
        ticks->last[i] = now[i];
        all += ticks->total[i];
    }
    ticks->started = true;
    if (all > INT64_MAX)
        return;
    host->cpu_total_ticks = measured_known((int64_t)all);
    host->cpu_busy_ticks = measured_known((int64_t)(all - ticks->total[MACOS_CPU_IDLE]));
}

struct measured macos_available_bytes(const struct macos_pages *pages, int64_t total_bytes)
{
    uint64_t programs = pages->internal > pages->purgeable ? pages->internal - pages->purgeable : 0;
    uint64_t total = total_bytes > 0 ? (uint64_t)total_bytes : 0;
    if (pages->page_bytes == 0 || total == 0)
        return measured_unknown(REASON_not_reported);
    uint64_t most = total / pages->page_bytes;
    if (programs > most || pages->wired > most || pages->compressor > most ||
        programs + pages->wired + pages->compressor > most)
        return measured_unknown(REASON_incredible_value);
    uint64_t used = (programs + pages->wired + pages->compressor) * pages->page_bytes;
    return measured_known((int64_t)(total - used));
}
