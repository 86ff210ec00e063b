#include "cli/cli.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/number.h"
#include "cli/command.h"
#include "cli/help.h"
#include "os/arguments.h"
#include "os/startup.h"
#include "os/terminal.h"
#include "sampler/backends.h"
#include "view/columns.h"

struct command_info {
    const char *word;
    int (*run)(struct command_call *call);
    unsigned options;
};

static const struct command_info commands[] = {
#define COMMAND(word_, function, summary, usage, options_)                                         \
    {.word = word_, .run = function, .options = options_},
#include "cli/commands.def"
#undef COMMAND
};

static const struct command_info *find_command(const char *word)
{
    for (size_t i = 1; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(commands[i].word, word) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

int command_fail(int status, const char *format, ...)
{
    struct problem problem;
    va_list arguments;
    char text[PROBLEM_SIZE];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    problem_set(&problem, "%s", text);
    fprintf(stderr, "gputaskman: %s\n", problem.text);
    fflush(stderr); /* Windows has no buffering by lines */
    return status;
}

bool command_has_terminal(const char *what, const char *instead)
{
    if (terminal_is_output() && terminal_is_input()) {
        return true;
    }
    const char *advice = terminal_advice();
    command_fail(EXIT_USAGE, "%s needs a terminal%s%s", what, advice ? ": " : instead,
                 advice ? advice : "");
    return false;
}

int command_finish_output(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return status;
    }
    if (terminal_reader_is_gone(errno)) {
        return status;
    }
    return command_fail(EXIT_FAILED, "cannot write to standard output: %s", strerror(errno));
}

bool command_parse_pid(const char *word, int64_t *pid)
{
    uint64_t number;
    struct raw_text raw = raw_from_string(word);
    size_t used = 0;
    if (!number_parse_u64(raw, &number, &used) || used != raw.length || number == 0 ||
        number > UINT32_MAX) {
        return false;
    }
    *pid = (int64_t)number;
    return true;
}

/* Fills what -g, -p and --sort choose. */
static bool choose(struct command_call *call, struct problem *problem)
{
    const struct option_value *gpus = &call->options.values[OPTION_gpu];
    const struct option_value *pids = &call->options.values[OPTION_pid];
    const struct option_value *sort = &call->options.values[OPTION_sort];
    for (size_t i = 0; i < pids->list_count; i++) {
        if (!command_parse_pid(pids->list[i], &call->pids[i])) {
            return problem_set(problem, "--pid needs a process number, not '%.80s'", pids->list[i]);
        }
    }
    call->sort = COLUMN_vram;
    if (sort->set && !column_from_name(sort->text, &call->sort)) {
        return problem_set(problem, "there is no column '%.80s' to sort by", sort->text);
    }
    call->selection = (struct selection){
        .selectors = gpus->list,
        .selector_count = gpus->list_count,
        .pids = call->pids,
        .pid_count = pids->list_count,
    };
    return true;
}

/* The helper's own main: no options but its name. */
static int run_helper(const char *name)
{
    const struct backend *backend = backend_by_name(name);
    if (!backend || !backend->serve) {
        return command_fail(EXIT_USAGE, "there is no helper '%.40s'", name);
    }
    return backend->serve();
}

/* What stands behind "--" may be a command to be recorded. */
static bool takes_words(const struct command_info *command, const struct options *options)
{
    return (command->options & FOR_WORDS) ||
           (command->options == FOR_RECORD && options->words_before == 0);
}

static int run_command(const struct command_info *command, int argc, char **argv, int first)
{
    struct command_call *call = calloc(1, sizeof *call);
    struct problem problem = {""};
    int status = EXIT_USAGE;
    if (!call) {
        fatal_out_of_memory(sizeof *call);
    }
    if (!options_parse(&call->options, argc, argv, first, command->options, &problem) ||
        !choose(call, &problem)) {
        command_fail(EXIT_USAGE, "%s", problem.text);
    } else if (options_flag(&call->options, OPTION_help)) {
        help_print(stdout);
        status = command_finish_output(EXIT_DONE);
    } else if (options_flag(&call->options, OPTION_version)) {
        version_print(stdout);
        status = command_finish_output(EXIT_DONE);
    } else if (options_flag(&call->options, OPTION_helper)) {
        status = run_helper(call->options.values[OPTION_helper].text);
    } else if (call->options.word_count && !takes_words(command, &call->options)) {
        command_fail(EXIT_USAGE, "'%.80s' is no command; `gputaskman --help` lists them",
                     call->options.words[0]);
    } else {
        status = command->run(call);
    }
    free(call);
    return status;
}

int cli_main(int argc, char **argv)
{
    terminal_hold_streams();
    startup_harden();
    arguments_take(&argc, &argv);
    setlocale(LC_CTYPE, "");
    /* A line in one piece, not a character: texts are made safe character by character. */
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
#ifdef SIGPIPE
    signal(SIGPIPE, SIG_IGN);
#endif
#ifdef SIGXFSZ
    /* A file that may grow no more (ulimit -f) is an error like a full disk. */
    signal(SIGXFSZ, SIG_IGN);
#endif
    const struct command_info *command = argc > 1 ? find_command(argv[1]) : NULL;
    return command ? run_command(command, argc, argv, 2) : run_command(&commands[0], argc, argv, 1);
}
