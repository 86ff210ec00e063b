#include "os/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_is_output(void)
{
    return isatty(STDOUT_FILENO) == 1;
}

bool terminal_is_input(void)
{
    return isatty(STDIN_FILENO) == 1;
}

bool terminal_is_error(void)
{
    return isatty(STDERR_FILENO) == 1;
}

int terminal_columns(void)
{
    struct winsize size;
    if (!terminal_is_output() || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
        return 0;
    }
    return size.ws_col;
}

/* Opened the wrong way round: what is written to a closed output must fail, not vanish. */
void terminal_hold_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) {
            /* The lowest free number is this one: those below it are open by now. */
            open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

const char *terminal_advice(void)
{
    return NULL;
}

bool terminal_reader_is_gone(int error)
{
    return error == EPIPE;
}

bool terminal_speaks_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
