#include "view/growth.h"

#include <math.h>
#include <stdio.h>

#include "view/memory_map.h"
#include "view/phrase.h"
#include "view/units.h"

void growth_add(struct growth *growth, const struct history_point *point)
{
    if (!growth->any)
        growth->first_ns = point->running_ns;
    growth->any = true;
    growth->last_ns = point->running_ns;
    for (int class = 0; class <= SEGMENT_UNATTRIBUTED; class ++) {
        float bytes = point->values[SERIES_CLASS + class];
        if (isnan(bytes))
            continue;
        if (!growth->classes[class].known)
            growth->classes[class].first = (double)bytes;
        growth->classes[class].known = true;
        growth->classes[class].last = (double)bytes;
    }
}

static double grown(const struct growth *growth, enum segment_class class)
{
    return growth->classes[class].last - growth->classes[class].first;
}

enum segment_class growth_most(const struct growth *growth)
{
    enum segment_class most = SEGMENT_MODEL;
    for (int class = 0; class <= SEGMENT_UNATTRIBUTED; class ++)
        if (grown(growth, (enum segment_class) class) > grown(growth, most))
            most = (enum segment_class) class;
    return most;
}

static void since_words(double seconds, char out[UNITS_SIZE])
{
    if (seconds < 99.5)
        snprintf(out, UNITS_SIZE, "-%.0f s", seconds);
    else if (seconds < 3570)
        snprintf(out, UNITS_SIZE, "-%.0f min", seconds / 60);
    else
        snprintf(out, UNITS_SIZE, "-%.0f h", seconds / 3600);
}

void growth_words(const struct growth *growth, double total_bytes,
                  const struct growth_process *process, char out[GROWTH_TEXT_SIZE])
{
    enum segment_class class = growth_most(growth);
    double bytes = grown(growth, class), least = fmax(total_bytes / 100, 16.0 * 1024 * 1024);
    char amount[UNITS_SIZE], since[UNITS_SIZE];
    struct phrase phrase = phrase_start(out, GROWTH_TEXT_SIZE);
    if (!growth->any || bytes < least)
        return;
    units_bytes(bytes, amount);
    since_words((double)(growth->last_ns - growth->first_ns) / 1e9, since);
    phrase_string(&phrase, "+");
    phrase_string(&phrase, amount);
    phrase_string(&phrase, " ");
    if (process != NULL && process->name.size > 0 && process->grown_bytes > bytes / 2)
        phrase_text(&phrase, process->name);
    else
        phrase_string(&phrase, segment_class_words(class));
    phrase_string(&phrase, " since ");
    phrase_string(&phrase, since);
}
