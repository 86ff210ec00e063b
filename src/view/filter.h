/* Filter words: "vram>2g user:ann class:llm name:foo gpu>10 firefox". All words must hold. Pure.
 *
 * NUMBER words: vram spill shared paged ram (bytes; k m g t are powers of 1024), gpu (or load) cpu
 * 3d comp copy video (percent), time (seconds; s m h d), pid; with > >= < <= =. An unknown figure
 * meets no comparison. TEXT words: user class name model runtime container command pid, with ':' :
 * a part of it, ASCII case folded. A word without an operator is looked for in all of these. A '!'
 * before a word turns it round. */
#ifndef VIEW_FILTER_H
#define VIEW_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/problem.h"

struct row;

enum { FILTER_WORDS_MAX = 16, FILTER_TEXT_MAX = 96 };

struct filter_word {
    int field;      /* of filter.c's table; -1: any text */
    int comparison; /* of filter.c */
    bool negated;
    double number;
    char text[FILTER_TEXT_MAX]; /* what is looked for */
};

/* A value: may be copied. Zeroed: everything passes. */
struct filter {
    struct filter_word words[FILTER_WORDS_MAX];
    size_t count;
};

/* Parses blank-separated words. False: *problem says which word is wrong and what would be right;
 * *filter holds the words before it. */
bool filter_parse(const char *words, struct filter *filter, struct problem *problem);
/* Whether the last word, while it is being typed, may become a field's: "vr" of "vram>2g". */
bool filter_is_half_typed(const char *words);
bool filter_accepts(const struct filter *filter, const struct row *row);

#endif
