/* The options of the command line, one table (options.def): name, type, range, help. */
#ifndef SETTINGS_OPTIONS_H
#define SETTINGS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/problem.h"

enum option_id {
#define OPTION(id, long_name, letter, argument, kind, least, most, commands, help) OPTION_##id,
#include "settings/options.def"
#undef OPTION
    OPTION_COUNT
};

enum option_kind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_CHOICE,   /* one of the words of `argument`, which are separated by | */
    OPTION_LIST,     /* repeatable text */
    OPTION_NUMBER,   /* whole */
    OPTION_SECONDS,  /* decimal seconds */
    OPTION_DURATION, /* seconds, or with s, m, h, d behind them */
    OPTION_BYTES,    /* bytes, or with K, M, G, T behind them: powers of 1024 */
};

/* Which commands take an option. */
enum {
    FOR_PLAIN = 1,   /* gputaskman without a command word */
    FOR_RECORD = 2,  /* gputaskman record */
    FOR_INSPECT = 4, /* gputaskman inspect; takes words */
    FOR_DIFF = 8,    /* likewise */
    FOR_SUMMARY = 16,
    FOR_REPLAY = 32,
    FOR_WORDS = FOR_INSPECT | FOR_DIFF | FOR_SUMMARY | FOR_REPLAY,
    FOR_HIDDEN = 1 << 16,
    FOR_ALL = FOR_HIDDEN - 1,
};

struct option_info {
    const char *name, *argument, *help;
    char letter;
    enum option_kind kind;
    double least, most;
    unsigned commands;
};

const struct option_info *option_info(enum option_id id);

enum { OPTION_LIST_MAX = 64 };

struct option_value {
    bool set;
    const char *text; /* the argument of the last one; points into argv */
    double number;    /* whole number, seconds or bytes */
    const char *list[OPTION_LIST_MAX];
    size_t list_count;
};

struct options {
    struct option_value values[OPTION_COUNT];
    /* Words that are no options, and everything behind "--". Point into argv. */
    char *const *words;
    size_t word_count;
    size_t words_before; /* how many of them stand before a "--"; all where there is none */
    bool has_dashes;     /* there is a "--" */
};

/* Parses argv[first...]. Options may stand before and behind words; "--" ends them. Long options
 * may be shortened while unique and take their argument as --name VALUE or --name=VALUE. `commands`
 * is the FOR_* bit of the command at work. argv is reordered: the words are gathered at
 * argv[first]. False: *problem says what is wrong and what to do. */
bool options_parse(struct options *options, int argc, char **argv, int first, unsigned commands,
                   struct problem *problem);
bool options_flag(const struct options *options, enum option_id id);

/* The options of a command as lines of --help; without FOR_PLAIN those that FOR_PLAIN lacks. */
void options_print(FILE *file, unsigned commands);

#endif
