#include "reading/engines.h"

static const struct {
    const char *name, *column, *words;
} engines[ENGINE_COUNT] = {
#define ENGINE(name, column, words) [ENGINE_##name] = {#name, column, words},
#include "reading/engines.def"
#undef ENGINE
};

static enum engine engine_checked(enum engine engine)
{
    return (unsigned)engine < ENGINE_COUNT ? engine : ENGINE_other;
}

const char *engine_name(enum engine engine)
{
    return engines[engine_checked(engine)].name;
}

const char *engine_column(enum engine engine)
{
    return engines[engine_checked(engine)].column;
}

const char *engine_words(enum engine engine)
{
    return engines[engine_checked(engine)].words;
}
