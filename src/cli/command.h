/* One command of the program at work. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/problem.h"
#include "settings/options.h"
#include "snapshot/selection.h"
#include "source/source.h"
#include "view/columns.h"

/* What the program returns to its shell (SPEC section 2). */
enum exit_status { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NO_GPU = 3 };

enum { COMMAND_PIDS_MAX = OPTION_LIST_MAX };

struct command_call {
    struct options options;
    int64_t pids[COMMAND_PIDS_MAX]; /* of -p */
    struct selection selection;     /* of -g, -p; refers to this struct */
    int64_t inspected_pid;          /* of inspect PID; 0: none */
    enum column sort;               /* of --sort */
};

#define COMMAND(word, function, summary, usage, options) int function(struct command_call *call);
#include "cli/commands.def"
#undef COMMAND

/* Parts of command_plain. */
int command_once(struct command_call *call);
int command_json(struct command_call *call);
int command_list_gpus(struct command_call *call);
int command_live(struct command_call *call);
int command_demo(struct command_call *call);

/* Parts of command_inspect. */
int command_inspect_log(struct command_call *call);
int command_inspect_pid(struct command_call *call);  /* the word is a PID */
int command_inspect_file(struct command_call *call); /* words: FILE, then the runtime's flags */

/* A process number in digits alone. */
bool command_parse_pid(const char *word, int64_t *pid);

/* `gputaskman: PROBLEM` to stderr; returns `status`. */
int command_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether the live screen has a terminal to be on; else says that `what` needs one, and `instead`
 * behind it. */
bool command_has_terminal(const char *what, const char *instead);

/* Ends a command that wrote to standard output: a closed pipe ends quietly, a full disk does not.
 */
int command_finish_output(int status);

/* True when output may hold characters beyond ASCII: the locale is UTF-8 and --ascii is not given.
 */
bool command_may_use_utf8(const struct command_call *call);

#endif
