/* Prints the manual page and the shell completions from the tables of options, commands, keys and
 * columns. usage: manual_tool man|bash|zsh|fish. Built for the build machine and run by the build.
 */
#include <stdio.h>
#include <string.h>

#include "settings/options.h"

static const struct option_info options[] = {
#define OPTION(id, long_name, letter_, argument_, kind_, least_, most_, commands_, help_)          \
    {.name = long_name,                                                                            \
     .letter = letter_,                                                                            \
     .argument = argument_,                                                                        \
     .kind = kind_,                                                                                \
     .commands = commands_,                                                                        \
     .help = help_},
#include "settings/options.def"
#undef OPTION
};

static const struct command {
    const char *word, *summary, *usage;
    unsigned options;
} commands[] = {
#define COMMAND(word_, function, summary_, usage_, options_)                                       \
    {.word = word_, .summary = summary_, .usage = usage_, .options = options_},
#include "cli/commands.def"
#undef COMMAND
};

static const struct column {
    const char *word, *heading, *help;
} columns[] = {
#define COLUMN(name, heading_, least, most, align, rank, shown, help_)                             \
    {.word = #name, .heading = heading_, .help = help_},
#include "view/columns.def"
#undef COLUMN
};

/* In the order of the table: an action, then its keys. */
static const struct key {
    const char *group, *help; /* of an action */
    const char *name;         /* of a key; NULL: an action */
} keys[] = {
#define ACTION(name_, rank, label, group_, words) {.group = group_, .help = words},
#define KEY(action, key_, name_) {.name = name_},
#include "present/tui/keys.def"
#undef ACTION
#undef KEY
};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static bool is_shown(const struct option_info *option)
{
    return !(option->commands & FOR_HIDDEN);
}

/* Text of the tables in roff: nothing in it may be taken for a request or an escape. */
static void roff(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
    }
}

static void roff_option(const struct option_info *option)
{
    fputs(".TP\n", stdout);
    if (option->letter)
        printf("\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", stdout);
    roff(option->name);
    fputs("\\fR", stdout);
    if (option->argument) {
        fputs(" \\fI", stdout);
        roff(option->argument);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    roff(option->help);
    putchar('\n');
}

/* The options of a command; `without`: those that another section has. */
static void roff_options(unsigned of, unsigned without)
{
    for (size_t i = 0; i < COUNT_OF(options); i++)
        if (is_shown(&options[i]) && (options[i].commands & of) && !(options[i].commands & without))
            roff_option(&options[i]);
}

static void roff_commands(void)
{
    fputs(".SH SYNOPSIS\n", stdout);
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        fputs(i ? ".br\n\\fBgputaskman\\fR " : "\\fBgputaskman\\fR ", stdout);
        roff(commands[i].usage);
        putchar('\n');
    }
    fputs(
        ".SH DESCRIPTION\n"
        "gputaskman shows what is inside a GPU: which process, which model, how much of its\n"
        "memory is weights, KV cache and compute buffers, what the browser and the desktop hold,\n"
        "and why GPU memory sits in system RAM. It says of every number how it is known. It needs\n"
        "no root, no toolkit and no network, and changes nothing. \\fBgtm\\fR is the same "
        "program.\n"
        ".SH COMMANDS\n",
        stdout);
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        fputs(".TP\n\\fBgputaskman", stdout);
        fputs(commands[i].word[0] ? " " : "", stdout);
        roff(commands[i].word);
        fputs("\\fR\n", stdout);
        roff(commands[i].summary);
        putchar('\n');
    }
}

static void roff_all_options(void)
{
    fputs(".SH OPTIONS\n", stdout);
    roff_options(FOR_PLAIN, 0);
    for (size_t i = 1; i < COUNT_OF(commands); i++) {
        unsigned own = commands[i].options & ~(unsigned)FOR_PLAIN;
        bool any = false;
        for (size_t k = 0; k < COUNT_OF(options); k++)
            any |= is_shown(&options[k]) && (options[k].commands & own) &&
                   !(options[k].commands & FOR_PLAIN);
        if (!any)
            continue;
        fputs(".SS Further options of ", stdout);
        roff(commands[i].word);
        putchar('\n');
        roff_options(own, FOR_PLAIN);
    }
}

static void roff_key_names(size_t action)
{
    fputs(".TP\n", stdout);
    for (size_t i = action + 1; i < COUNT_OF(keys) && keys[i].name; i++) {
        fputs(i > action + 1 ? ", \\fB" : "\\fB", stdout);
        roff(keys[i].name);
        fputs("\\fR", stdout);
    }
    putchar('\n');
}

static void roff_keys(void)
{
    const char *group = "";
    fputs(".SH KEYS\n", stdout);
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        if (keys[i].name)
            continue;
        if (strcmp(group, keys[i].group) != 0)
            printf(".SS %s\n", group = keys[i].group);
        roff_key_names(i);
        roff(keys[i].help);
        putchar('\n');
    }
}

static void roff_columns(void)
{
    fputs(".SH COLUMNS\nTheir names are the words of \\fB\\-\\-sort\\fR.\n", stdout);
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        fputs(".TP\n\\fB", stdout);
        roff(columns[i].word);
        fputs("\\fR (", stdout);
        roff(columns[i].heading);
        fputs(")\n", stdout);
        roff(columns[i].help);
        putchar('\n');
    }
}

static void print_man(void)
{
    fputs(".TH GPUTASKMAN 1 \"\" \"gputaskman " GPUTASKMAN_VERSION "\" \"User Commands\"\n"
          ".SH NAME\n"
          "gputaskman, gtm \\- what is inside a GPU, by process and by model\n",
          stdout);
    roff_commands();
    roff_all_options();
    fputs(".SH HOW TO READ THE NUMBERS\n"
          ".TP\n\\fB18.0 G\\fR\nmeasured: a counter of the driver or the system\n"
          ".TP\n\\fB3.9 G*\\fR\nmatched: measured, its owner deduced\n"
          ".TP\n\\fB3.9 G?\\fR\na guess\n"
          ".TP\n\\fBn/a\\fR\nnot available: select the row, or see \\fB\\-\\-json\\fR, for the "
          "reason\n"
          ".PP\nUnknown is never zero, and only measured bytes are summed.\n",
          stdout);
    roff_columns();
    roff_keys();
    fputs(
        ".SH EXIT STATUS\n"
        ".TP\n0\ndone\n.TP\n1\nfailed\n.TP\n2\nwrong usage\n"
        ".TP\n3\nno supported GPU found; the message says what was looked for\n"
        ".SH ENVIRONMENT\n"
        ".TP\n\\fBNO_COLOR\\fR\nno colours\n"
        ".TP\n\\fBLC_ALL\\fR, \\fBLC_CTYPE\\fR, \\fBLANG\\fR\n"
        "without UTF\\-8 the screen is plain ASCII\n"
        ".SH EXAMPLES\n"
        ".TP\n\\fBgputaskman\\fR\nthe live screen; \\fB?\\fR explains it\n"
        ".TP\n\\fBgputaskman \\-\\-once \\-g 0\\fR\nthe first GPU, once, as text\n"
        ".TP\n\\fBgputaskman \\-\\-json | jq '.processes[] | {pid, name, models: [.models[].name]}'"
        "\\fR\nwhich process holds which models\n"
        ".TP\n\\fBgputaskman inspect model.gguf \\-\\- \\-ngl 99 \\-c 32768\\fR\n"
        "what a model would take with these flags\n",
        stdout);
}

/* A word list inside double quotes of a shell; names of the tables need no escapes. */
static void print_words(const struct command *command)
{
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        if (!is_shown(&options[i]) || !(options[i].commands & command->options))
            continue;
        if (options[i].letter)
            printf("-%c ", options[i].letter);
        printf("--%s ", options[i].name);
    }
}

static bool takes_file(const struct option_info *option)
{
    return option->argument && strcmp(option->argument, "FILE") == 0;
}

static bool takes_column(const struct option_info *option)
{
    return option->argument && strcmp(option->argument, "COLUMN") == 0;
}

static bool takes_a_choice(const struct option_info *option)
{
    return takes_column(option) || option->kind == OPTION_CHOICE;
}

static void print_choices(const struct option_info *option)
{
    if (takes_column(option)) {
        for (size_t i = 0; i < COUNT_OF(columns); i++)
            printf("%s%s", i ? " " : "", columns[i].word);
        return;
    }
    for (const char *c = option->argument; *c; c++)
        putchar(*c == '|' ? ' ' : *c);
}

static void print_command_words(const char *between)
{
    for (size_t i = 1; i < COUNT_OF(commands); i++)
        printf("%s%s", i > 1 ? between : "", commands[i].word);
}

static void print_bash(void)
{
    fputs(
        "# bash completion for gputaskman and gtm\n"
        "_gputaskman() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= w\n"
        "    COMPREPLY=()\n"
        "    for w in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
        "        case $w in ",
        stdout);
    print_command_words(" | ");
    fputs(") command=$w && break ;; esac\n    done\n    case $before in\n", stdout);
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        const struct option_info *option = &options[i];
        if (!is_shown(option) || !option->argument)
            continue;
        printf("        --%s", option->name);
        if (option->letter)
            printf(" | -%c", option->letter);
        fputs(") ", stdout);
        if (takes_file(option)) {
            fputs("mapfile -t COMPREPLY < <(compgen -f -- \"$word\")", stdout);
        } else if (takes_a_choice(option)) {
            fputs("mapfile -t COMPREPLY < <(compgen -W \"", stdout);
            print_choices(option);
            fputs("\" -- \"$word\")", stdout);
        } else {
            putchar(':');
        }
        fputs("; return ;;\n", stdout);
    }
    fputs("    esac\n    case $command:$word in\n", stdout);
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        printf("        %s:-*) mapfile -t COMPREPLY < <(compgen -W \"", commands[i].word);
        print_words(&commands[i]);
        fputs("\" -- \"$word\") ;;\n", stdout);
    }
    fputs("        :*) mapfile -t COMPREPLY < <(compgen -W \"", stdout);
    print_command_words(" ");
    fputs("\" -- \"$word\") ;;\n"
          "        *) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
          "    esac\n"
          "}\n"
          "complete -o filenames -F _gputaskman gputaskman gtm\n",
          stdout);
}

/* Help inside single quotes; in zsh's brackets colons and brackets are escaped. */
static void print_quoted(const char *text, bool in_brackets)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (in_brackets && strchr("[]:\\", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void print_zsh_option(const struct option_info *option)
{
    for (int form = option->letter ? 0 : 1; form < 2; form++) {
        fputs("        '", stdout);
        if (option->kind == OPTION_LIST)
            putchar('*');
        if (form == 0)
            printf("-%c[", option->letter);
        else
            printf("--%s[", option->name);
        print_quoted(option->help, true);
        putchar(']');
        if (option->argument) {
            putchar(':');
            print_quoted(option->kind == OPTION_CHOICE ? option->name : option->argument, true);
            putchar(':');
            if (takes_file(option)) {
                fputs("_files", stdout);
            } else if (takes_a_choice(option)) {
                putchar('(');
                print_choices(option);
                putchar(')');
            }
        }
        fputs("' \\\n", stdout);
    }
}

static void print_zsh(void)
{
    fputs("#compdef gputaskman gtm\n"
          "# zsh completion for gputaskman and gtm\n"
          "_gputaskman() {\n"
          "    local w command=''\n"
          "    for w in $words[2,CURRENT-1]; do\n"
          "        case $w in ",
          stdout);
    print_command_words("|");
    fputs(") command=$w; break ;; esac\n    done\n    case $command in\n", stdout);
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        printf("    %s) _arguments \\\n", i ? commands[i].word : "''");
        for (size_t k = 0; k < COUNT_OF(options); k++)
            if (is_shown(&options[k]) && (options[k].commands & commands[i].options))
                print_zsh_option(&options[k]);
        if (i) {
            fputs("        '*:file:_files' ;;\n", stdout);
            continue;
        }
        fputs("        '1:command:((", stdout);
        for (size_t k = 1; k < COUNT_OF(commands); k++) {
            printf("%s%s\\:\"", k > 1 ? " " : "", commands[k].word);
            print_quoted(commands[k].summary, false);
            putchar('"');
        }
        fputs("))' ;;\n", stdout);
    }
    fputs("    esac\n}\n_gputaskman \"$@\"\n", stdout);
}

static void print_fish_option(const char *program, const struct option_info *option)
{
    printf("complete -c %s", program);
    if (option->commands != FOR_ALL) {
        fputs(" -n '", stdout);
        bool any = false;
        for (size_t i = 1; i < COUNT_OF(commands); i++)
            if (option->commands & commands[i].options) {
                printf("%s__fish_seen_subcommand_from %s", any ? "; or " : "", commands[i].word);
                any = true;
            }
        if (option->commands & FOR_PLAIN)
            printf("%s__fish_use_subcommand", any ? "; or " : "");
        putchar('\'');
    }
    if (option->letter)
        printf(" -s %c", option->letter);
    printf(" -l %s", option->name);
    if (takes_file(option)) {
        fputs(" -r -F", stdout);
    } else if (takes_a_choice(option)) {
        fputs(" -x -a '", stdout);
        print_choices(option);
        putchar('\'');
    } else if (option->argument) {
        fputs(" -x", stdout);
    }
    fputs(" -d '", stdout);
    for (const char *c = option->help; *c; c++) {
        if (*c == '\'' || *c == '\\')
            putchar('\\');
        putchar(*c);
    }
    fputs("'\n", stdout);
}

static void print_fish(void)
{
    static const char *const programs[] = {"gputaskman", "gtm"};
    fputs("# fish completion for gputaskman and gtm\n", stdout);
    for (size_t p = 0; p < COUNT_OF(programs); p++) {
        printf("complete -c %s -n __fish_use_subcommand -f\n", programs[p]);
        for (size_t i = 1; i < COUNT_OF(commands); i++)
            printf("complete -c %s -n __fish_use_subcommand -a %s -d '%s'\n", programs[p],
                   commands[i].word, commands[i].summary);
        for (size_t i = 0; i < COUNT_OF(options); i++)
            if (is_shown(&options[i]))
                print_fish_option(programs[p], &options[i]);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *word;
        void (*print)(void);
    } kinds[] = {
        {"man", print_man}, {"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

    for (size_t i = 0; argc == 2 && i < COUNT_OF(kinds); i++)
        if (strcmp(argv[1], kinds[i].word) == 0) {
            kinds[i].print();
            return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
        }
    fputs("usage: manual_tool man|bash|zsh|fish\n", stderr);
    return 1;
}
