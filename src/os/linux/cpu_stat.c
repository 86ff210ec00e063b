#include "os/linux/cpu_stat.h"

#include "base/lines.h"
#include "base/number.h"

/* user nice system idle iowait irq softirq steal; guest and guest_nice follow and are not taken. */
enum { TIME_IDLE = 3, TIME_WAITING = 4, TIME_COUNT = 8 };

static void take_times(struct raw_text rest, struct cpu_stat *stat)
{
    int64_t busy = 0, total = 0, ticks;
    struct raw_text word;
    int i = 0;
    for (; i < TIME_COUNT && words_next(&rest, &word); i++) {
        bool idle = i == TIME_IDLE || i == TIME_WAITING;
        if (!number_parse_i64(word, &ticks, NULL) || ticks < 0 ||
            !number_add_i64(total, ticks, &total) || !number_add_i64(busy, idle ? 0 : ticks, &busy))
            return;
    }
    if (i <= TIME_IDLE)
        return;
    stat->busy_ticks = measured_known(busy);
    stat->total_ticks = measured_known(total);
}

void cpu_stat_parse(struct raw_text raw, struct cpu_stat *stat)
{
    struct raw_text line, word;
    int64_t seconds;

    *stat = (struct cpu_stat){.cpu_count = 0};
    while (lines_next(&raw, &line)) {
        if (!words_next(&line, &word))
            continue;
        if (raw_equal_string(word, "cpu"))
            take_times(line, stat);
        else if (raw_starts_with(word, "cpu"))
            stat->cpu_count++;
        else if (raw_equal_string(word, "btime") && number_parse_i64(line, &seconds, NULL) &&
                 seconds >= 0)
            stat->boot_wall_s = measured_known(seconds);
    }
}
