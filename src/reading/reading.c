#include "reading/reading.h"

#include <stdlib.h>

#include "base/fatal.h"

const char *source_state_name(enum source_state state)
{
    static const char *const names[SOURCE_STATE_COUNT] = {
        [SOURCE_ABSENT] = "absent",     [SOURCE_OK] = "ok",       [SOURCE_OFF] = "off",
        [SOURCE_STARTING] = "starting", [SOURCE_STALE] = "stale", [SOURCE_PARTIAL] = "partial",
        [SOURCE_FAILED] = "failed",
    };

    return (unsigned)state < SOURCE_STATE_COUNT ? names[state] : names[SOURCE_FAILED];
}

struct reading *reading_new(const char *source)
{
    struct reading *reading = memory_new(sizeof *reading);

    reading->arena = arena_new();
    reading->source = source;
    return reading;
}

void reading_free(struct reading **reading)
{
    if (!*reading)
        return;
    arena_free(&(*reading)->arena);
    free(*reading);
    *reading = NULL;
}

void reading_reset(struct reading *reading, const char *source)
{
    struct arena *arena = reading->arena;

    arena_reset(arena);
    *reading = (struct reading){.arena = arena, .source = source};
}

struct system_reading *system_reading_new(void)
{
    struct system_reading *reading = memory_new(sizeof *reading);

    reading->arena = arena_new();
    return reading;
}

void system_reading_free(struct system_reading **reading)
{
    if (!*reading)
        return;
    arena_free(&(*reading)->arena);
    free(*reading);
    *reading = NULL;
}

void system_reading_reset(struct system_reading *reading)
{
    struct arena *arena = reading->arena;

    arena_reset(arena);
    *reading = (struct system_reading){.arena = arena};
}
