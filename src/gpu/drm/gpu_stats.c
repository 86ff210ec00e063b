#include "gpu/drm/gpu_stats.h"

#include <string.h>

#include "base/lines.h"
#include "base/number.h"

enum { FULL = 100000, JITTER_FULL = 110000 };

static bool take_number(struct raw_text *line, int64_t *number)
{
    struct raw_text word;
    return words_next(line, &word) && number_parse_i64(word, number, NULL) && *number >= 0;
}

static bool parse_line(struct raw_text line, struct gpu_stats_queue *queue)
{
    struct raw_text name, more;
    int64_t jobs;
    *queue = (struct gpu_stats_queue){0};
    if (!words_next(&line, &name) || name.length >= sizeof queue->name ||
        !take_number(&line, &queue->timestamp_ns) || !take_number(&line, &jobs) ||
        !take_number(&line, &queue->runtime_ns) || words_next(&line, &more)) {
        return false;
    }
    memcpy(queue->name, name.bytes, name.length);
    return true;
}

bool gpu_stats_parse(struct raw_text text, struct gpu_stats *stats)
{
    struct raw_text line;
    stats->count = 0;
    while (stats->count < GPU_STATS_QUEUES_MAX && lines_next(&text, &line)) {
        stats->count += parse_line(line, &stats->queues[stats->count]);
    }
    return stats->count > 0;
}

struct said gpu_stats_load(const struct gpu_stats *before, const struct gpu_stats_queue *now)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct gpu_stats_queue *then = &before->queues[i];
        if (strcmp(then->name, now->name) != 0) {
            continue;
        }
        if (now->runtime_ns < then->runtime_ns || now->timestamp_ns < then->timestamp_ns) {
            return said_unknown(REASON_counter_not_monotonic);
        }
        if (now->timestamp_ns == then->timestamp_ns) {
            return said_unknown(REASON_need_two_samples);
        }
        double part = ((double)now->runtime_ns - (double)then->runtime_ns) /
                      ((double)now->timestamp_ns - (double)then->timestamp_ns) * FULL;
        if (part > JITTER_FULL) {
            return said_unknown(REASON_incredible_value);
        }
        return said_measured(part < FULL ? (int64_t)(part + 0.5) : FULL);
    }
    return said_unknown(REASON_need_two_samples);
}
