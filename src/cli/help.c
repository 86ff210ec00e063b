#include "cli/help.h"

#include <build_commit.h> /* written by the build */
#include <build_facts.h>
#include "sampler/backends.h"
#include "settings/options.h"
#include "settings/usage.h"

static const struct {
    const char *usage, *summary;
    unsigned options;
} commands[] = {
#define COMMAND(word, function, summary_, usage_, options_)                                        \
    {.usage = usage_, .summary = summary_, .options = options_},
#include "cli/commands.def"
#undef COMMAND
};

void help_print(FILE *file)
{
    enum { SUMMARY_COLUMN = 6 };
    fputs("gputaskman shows what is inside a GPU: which process, which model, and how each\n"
          "number is known. It needs no root, toolkit or network, and changes nothing.\n\n"
          "Usage:\n",
          file);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char line[160];
        snprintf(line, sizeof line, "gputaskman %s", commands[i].usage);
        usage_print(file, line, SUMMARY_COLUMN, commands[i].summary);
    }
    fputs("\nOptions:\n", file);
    options_print(file, FOR_PLAIN);
    fputs("\nOptions of record, besides -i, -g, -p and --all:\n", file);
    options_print(file, FOR_RECORD & ~FOR_PLAIN);
    fputs("\nOptions of inspect, besides --json:\n", file);
    options_print(file, FOR_INSPECT & ~FOR_PLAIN);
    fputs("\nOptions of diff, besides --json, -g and -p:\n", file);
    options_print(file, FOR_DIFF & ~FOR_PLAIN);
    fputs("\nHow to read the numbers:\n"
          "  18.0 G    measured: a counter of the driver or the system\n"
          "  3.9 G*    matched: measured, its owner deduced     3.9 G?  a guess\n"
          "  n/a       not available: select the row, or see --json, for the reason\n"
          "  SPILL is GPU memory that lives in system RAM. Only measured bytes are summed.\n"
          "  In the live screen press ? for the keys and what each counter means.\n\n"
          "Exit status: 0 done, 1 failed, 2 wrong usage, 3 no supported GPU found.\n"
          "`gtm` is the same program.\n",
          file);
}

void version_print(FILE *file)
{
    fputs("gputaskman " GPUTASKMAN_VERSION " (commit " BUILD_COMMIT ")\n"
          "built for " BUILD_TARGET "\n"
          "with " BUILD_LIBRARIES "\n"
          "backends:",
          file);
    const struct backend *const *backends;
    size_t count = backends_of_collector(&backends);
    for (size_t i = 0; i < count; i++) {
        fprintf(file, " %s", backends[i]->name);
    }
    count = backends_of_helpers(&backends);
    for (size_t i = 0; i < count; i++) {
        fprintf(file, " %s", backends[i]->name);
    }
    fputc('\n', file);
}
