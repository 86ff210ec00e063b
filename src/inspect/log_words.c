#include "inspect/log_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/vector.h"

/* An automaton (Aho and Corasick): a state is how much of which words has just been read. Bytes
 * that stand in no word share one column. */
struct state {
    uint16_t fallback; /* the longest other beginning that has been read too */
    uint16_t output;   /* nearest state at or behind this one that ends a word; 0: none */
    int16_t word;      /* that ends here; -1: none */
};

struct log_words {
    uint8_t column[256];
    size_t column_count;
    size_t state_count;
    struct state *states;
    uint16_t *next; /* state_count rows of column_count */
};

static const char *const word_texts[LOG_WORD_COUNT] = {
#define WORD(name, text) [LOG_WORD_##name] = text,
#include "inspect/log_words.def"
#undef WORD
};

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) {
        fatal_out_of_memory(count * size);
    }
    return memory;
}

static void name_columns(struct log_words *words)
{
    words->column_count = 1;
    for (int word = 0; word < LOG_WORD_COUNT; word++) {
        for (const char *c = word_texts[word]; *c; c++) {
            if (words->column[(unsigned char)*c] == 0) {
                words->column[(unsigned char)*c] = (uint8_t)words->column_count++;
            }
        }
    }
}

static uint16_t *cell(const struct log_words *words, size_t state, char c)
{
    return &words->next[state * words->column_count + words->column[(unsigned char)c]];
}

static void add_words(struct log_words *words)
{
    for (int word = 0; word < LOG_WORD_COUNT; word++) {
        size_t at = 0;
        for (const char *c = word_texts[word]; *c; c++) {
            uint16_t *next = cell(words, at, *c);
            if (*next == 0) {
                words->states[words->state_count].word = -1;
                *next = (uint16_t)words->state_count++;
            }
            at = *next;
        }
        words->states[at].word = (int16_t)word;
    }
}

/* Breadth first, so that a state's fallback, which is shorter, is complete before the state. */
static void link_states(struct log_words *words)
{
    uint16_t *queue = allocate(words->state_count, sizeof *queue);
    size_t head = 0, tail = 0;
    for (size_t i = 1; i < words->column_count; i++) {
        if (words->next[i]) {
            queue[tail++] = words->next[i];
        }
    }
    while (head < tail) {
        uint16_t at = queue[head++];
        struct state *state = &words->states[at];
        state->output = state->word >= 0 ? at : words->states[state->fallback].output;
        for (size_t i = 1; i < words->column_count; i++) {
            uint16_t *next = &words->next[at * words->column_count + i];
            uint16_t other = words->next[state->fallback * words->column_count + i];
            if (*next) {
                words->states[*next].fallback = other;
                queue[tail++] = *next;
            } else {
                *next = other;
            }
        }
    }
    free(queue);
}

struct log_words *log_words_new(void)
{
    struct log_words *words = allocate(1, sizeof *words);
    size_t most = 1;
    for (int word = 0; word < LOG_WORD_COUNT; word++) {
        most += strlen(word_texts[word]);
    }
    name_columns(words);
    words->states = allocate(most, sizeof *words->states);
    words->next = allocate(most * words->column_count, sizeof *words->next);
    words->state_count = 1;
    words->states[0].word = -1;
    add_words(words);
    link_states(words);
    return words;
}

void log_words_free(struct log_words **words)
{
    if (*words) {
        free((*words)->states);
        free((*words)->next);
        free(*words);
        *words = NULL;
    }
}

bool log_words_find(const struct log_words *words, struct log_line *line)
{
    bool any = false;
    size_t at = 0;
    for (size_t i = 0; i < line->text.length; i++) {
        at = *cell(words, at, line->text.bytes[i]);
        size_t output = words->states[at].output;
        if (!output) {
            continue;
        }
        if (!any) {
            memset(line->end, 0, sizeof line->end);
            any = true;
        }
        while (output) {
            int word = words->states[output].word;
            if (!line->end[word]) {
                line->end[word] = (uint32_t)(i + 1);
            }
            output = words->states[words->states[output].fallback].output;
        }
    }
    return any;
}

struct raw_text log_line_after(const struct log_line *line, enum log_word word)
{
    size_t end = line->end[word];
    return (struct raw_text){line->text.bytes + end, line->text.length - end};
}

struct raw_text log_line_before(const struct log_line *line, enum log_word word)
{
    return (struct raw_text){line->text.bytes, line->end[word] - strlen(word_texts[word])};
}
