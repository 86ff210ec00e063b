/* Finds the marking words of load logs (log_words.def) in a line, all in one pass. Private to the
 * load log parser. */
#ifndef INSPECT_LOG_WORDS_H
#define INSPECT_LOG_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum log_word {
#define WORD(name, text) LOG_WORD_##name,
#include "inspect/log_words.def"
#undef WORD
    LOG_WORD_COUNT
};

/* One line, without colours and the end of line. */
struct log_line {
    struct raw_text text;
    /* Bytes up to the end of the word's first occurrence; 0: it is not in the line. */
    uint32_t end[LOG_WORD_COUNT];
};

struct log_words;

struct log_words *log_words_new(void);
void log_words_free(struct log_words **words);
/* Fills line->end from line->text. False: none of the words is in it. */
bool log_words_find(const struct log_words *words, struct log_line *line);

static inline bool log_line_has(const struct log_line *line, enum log_word word)
{
    return line->end[word] != 0;
}
/* What follows the word's first occurrence, and what stands before it. The word must be there. */
struct raw_text log_line_after(const struct log_line *line, enum log_word word);
struct raw_text log_line_before(const struct log_line *line, enum log_word word);

#endif
