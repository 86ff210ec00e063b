#include "settings/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "settings/usage.h"
#include "settings/written.h"

static const struct option_info infos[OPTION_COUNT] = {
#define OPTION(id, long_name, letter_, argument_, kind_, least_, most_, commands_, help_)          \
    [OPTION_##id] = {.name = long_name,                                                            \
                     .letter = letter_,                                                            \
                     .argument = argument_,                                                        \
                     .kind = kind_,                                                                \
                     .least = least_,                                                              \
                     .most = most_,                                                                \
                     .commands = commands_,                                                        \
                     .help = help_},
#include "settings/options.def"
#undef OPTION
};

const struct option_info *option_info(enum option_id id)
{
    return &infos[id];
}

bool options_flag(const struct options *options, enum option_id id)
{
    return options->values[id].set;
}

static bool parse_duration(const char *text, double *seconds)
{
    size_t length = strlen(text);
    double unit = 1;
    static const struct {
        char letter;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    for (size_t i = 0; length > 1 && i < sizeof units / sizeof *units; i++) {
        if (text[length - 1] == units[i].letter) {
            unit = units[i].seconds;
            length--;
            break;
        }
    }
    bool valid = written_decimal(text, length, seconds);
    *seconds *= unit;
    return valid;
}

/* "100M", "1.5G", "64kB", "2GiB": people mean the same by all of them. */
static bool parse_bytes(const char *text, double *bytes)
{
    static const char units[] = "kmgt";
    size_t length = strlen(text);
    double unit = 1;
    if (length > 1 && (text[length - 1] == 'B' || text[length - 1] == 'b')) {
        length--;
        length -= length > 1 && text[length - 1] == 'i';
    }
    const char *found = length > 1 ? strchr(units, text[length - 1] | 0x20) : NULL;
    for (const char *at = units; found && at <= found; at++) {
        unit *= 1024;
    }
    bool valid = written_decimal(text, length - (found != NULL), bytes);
    *bytes = floor(*bytes * unit);
    return valid;
}

static bool parse_argument(const struct option_info *info, const char *text, double *number)
{
    uint64_t whole = 0;
    switch (info->kind) {
    case OPTION_NUMBER:
        if (!number_parse_u64(raw_from_string(text), &whole, NULL)) {
            return false;
        }
        *number = (double)whole;
        break;
    case OPTION_SECONDS:
        if (!written_decimal(text, strlen(text), number)) {
            return false;
        }
        break;
    case OPTION_DURATION:
        if (!parse_duration(text, number)) {
            return false;
        }
        break;
    case OPTION_BYTES:
        if (!parse_bytes(text, number)) {
            return false;
        }
        break;
    case OPTION_CHOICE:
        return written_choice(info->argument, text);
    default:
        return text[0] != '\0';
    }
    return *number >= info->least && *number <= info->most;
}

/* Of a limit; written out, since nobody types 1e+09. */
static int decimals(double limit)
{
    return floor(limit) == limit ? 0 : 1;
}

static bool store(struct options *options, enum option_id id, const char *text,
                  struct problem *problem)
{
    const struct option_info *info = &infos[id];
    struct option_value *value = &options->values[id];
    bool valid = !text || parse_argument(info, text, &value->number);
    if (!valid && info->most == 0) {
        return problem_set(problem, "--%s needs %s, not '%.80s'", info->name, info->argument, text);
    }
    if (!valid) {
        return problem_set(problem, "--%s needs %s from %.*f to %.*f, not '%.80s'", info->name,
                           info->argument, decimals(info->least), info->least, decimals(info->most),
                           info->most, text);
    }
    if (info->kind == OPTION_LIST) {
        if (value->list_count == OPTION_LIST_MAX) {
            return problem_set(problem, "--%s can be given at most %d times", info->name,
                               OPTION_LIST_MAX);
        }
        value->list[value->list_count++] = text;
    }
    value->set = true;
    value->text = text;
    return true;
}

/* The option a long name (of `length` bytes) means: exact, or the only one it begins. -1 unknown,
 * -2 ambiguous. */
static int find_long(const char *name, size_t length, unsigned commands)
{
    int found = -1;
    for (int id = 0; id < OPTION_COUNT; id++) {
        if (!(infos[id].commands & (commands | FOR_HIDDEN)) ||
            strncmp(infos[id].name, name, length) != 0) {
            continue;
        }
        if (infos[id].name[length] == '\0') {
            return id;
        }
        if (infos[id].commands != FOR_HIDDEN) {
            found = found == -1 ? id : -2;
        }
    }
    return found;
}

static int find_letter(char letter, unsigned commands)
{
    for (int id = 0; id < OPTION_COUNT; id++) {
        if (infos[id].letter == letter && (infos[id].commands & commands)) {
            return id;
        }
    }
    return -1;
}

static bool unknown_option(const char *text, struct problem *problem)
{
    return problem_set(problem, "unknown option '%.80s'; `gputaskman --help` lists them", text);
}

/* Parses argv[*at] as a long option, moves *at to the last argument used. */
static bool parse_long(struct options *options, int argc, char **argv, int *at, unsigned commands,
                       struct problem *problem)
{
    const char *name = argv[*at] + 2;
    const char *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    int id = length ? find_long(name, length, commands) : -1;
    if (id == -2) {
        return problem_set(problem, "'%.80s' begins several options; write it out", argv[*at]);
    }
    if (id < 0) {
        return unknown_option(argv[*at], problem);
    }
    if (!infos[id].argument) {
        return equals ? problem_set(problem, "--%s takes no argument", infos[id].name)
                      : store(options, (enum option_id)id, NULL, problem);
    }
    const char *text = equals ? equals + 1 : *at + 1 < argc ? argv[++*at] : NULL;
    if (!text) {
        return problem_set(problem, "--%s needs %s", infos[id].name, infos[id].argument);
    }
    return store(options, (enum option_id)id, text, problem);
}

/* Parses argv[*at] as one or several short options. */
static bool parse_short(struct options *options, int argc, char **argv, int *at, unsigned commands,
                        struct problem *problem)
{
    const char *letters = argv[*at] + 1;
    for (; *letters; letters++) {
        int id = find_letter(*letters, commands);
        if (id < 0) {
            return unknown_option(argv[*at], problem);
        }
        if (!infos[id].argument) {
            if (!store(options, (enum option_id)id, NULL, problem)) {
                return false;
            }
            continue;
        }
        const char *text = letters[1] ? letters + 1 : *at + 1 < argc ? argv[++*at] : NULL;
        if (!text) {
            return problem_set(problem, "-%c needs %s", infos[id].letter, infos[id].argument);
        }
        return store(options, (enum option_id)id, text, problem);
    }
    return true;
}

bool options_parse(struct options *options, int argc, char **argv, int first, unsigned commands,
                   struct problem *problem)
{
    memset(options, 0, sizeof *options);
    int word_count = 0, at = first;
    for (; at < argc; at++) {
        char *argument = argv[at];
        if (strcmp(argument, "--") == 0) {
            options->has_dashes = true;
            at++;
            break;
        }
        bool valid = true;
        if (argument[0] != '-' || argument[1] == '\0') {
            argv[first + word_count++] = argument;
        } else if (argument[1] == '-') {
            valid = parse_long(options, argc, argv, &at, commands, problem);
        } else {
            valid = parse_short(options, argc, argv, &at, commands, problem);
        }
        if (!valid) {
            return false;
        }
    }
    options->words_before = (size_t)word_count;
    for (; at < argc; at++) {
        argv[first + word_count++] = argv[at];
    }
    options->words = argv + first;
    options->word_count = (size_t)word_count;
    return true;
}

void options_print(FILE *file, unsigned commands)
{
    enum { HELP_COLUMN = 28 };
    for (int id = 0; id < OPTION_COUNT; id++) {
        const struct option_info *info = &infos[id];
        bool listed = !(commands & FOR_PLAIN) && (info->commands & FOR_PLAIN);
        if (!(info->commands & commands) || listed) {
            continue;
        }
        char left[64];
        int used = info->letter ? snprintf(left, sizeof left, "-%c, ", info->letter)
                                : snprintf(left, sizeof left, "    ");
        snprintf(left + used, sizeof left - (size_t)used, "--%s%s%s", info->name,
                 info->argument ? " " : "", info->argument ? info->argument : "");
        usage_print(file, left, HELP_COLUMN, info->help);
    }
}
