#include "os/windows/child_program.h"

#include <string.h>

#include "os/windows/command_line.h"

static const char begins[] = "cmd.exe /d /s /v:off /c \"";

static bool ends_folded(const char *path, const char *suffix)
{
    size_t length = strlen(path), size = strlen(suffix);
    if (length < size)
        return false;
    for (size_t i = 0; i < size; i++) {
        char c = path[length - size + i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != suffix[i])
            return false;
    }
    return true;
}

bool child_program_is_script(const char *path)
{
    return ends_folded(path, ".bat") || ends_folded(path, ".cmd");
}

bool child_program_line(const char *path, char *const *argv, char *line, size_t size,
                        struct problem *problem)
{
    line[0] = '\0';
    for (size_t i = 0; argv[i]; i++)
        if (!(i == 0 ? command_line_append_quoted(line, size, path)
                     : command_line_append(line, size, argv[i])))
            return problem_set(problem, "its command line is longer than Windows takes");
    return true;
}

bool child_program_script_line(const char *path, char *const *argv, char *line, size_t size,
                               struct problem *problem)
{
    if (size < sizeof begins + 2)
        return problem_set(problem, "its command line is longer than Windows takes");
    memcpy(line, begins, sizeof begins);
    size_t head = sizeof begins - 1;
    for (size_t i = 0; argv[i]; i++) {
        const char *argument = i == 0 ? path : argv[i];
        if (strpbrk(argument, "\"%\r\n"))
            return problem_set(problem,
                               "%.200s is a script, and cmd.exe cannot be given an argument with "
                               "a quote, a percent sign or a line's end",
                               path);
        /* Room for the last quote is kept. */
        if (!command_line_append_quoted(line + head, size - head - 1, argument))
            return problem_set(problem, "its command line is longer than Windows takes");
    }
    strcat(line, "\"");
    return true;
}
