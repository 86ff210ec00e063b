/* The engine columns shared by all drivers (engines.def). */
#ifndef READING_ENGINES_H
#define READING_ENGINES_H

enum engine {
#define ENGINE(name, column, words) ENGINE_##name,
#include "reading/engines.def"
#undef ENGINE
    ENGINE_COUNT
};

const char *engine_name(enum engine engine);   /* "gfx": the key in JSON */
const char *engine_column(enum engine engine); /* "3D" */
const char *engine_words(enum engine engine);

#endif
