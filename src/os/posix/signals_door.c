#include "os/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* Handlers have no argument to hang state off: this is the program's one place of that kind. */
static struct {
    struct wake *wake;
    atomic_int quit, resize, suspend, proceed; /* signal numbers that arrived, 0: none */
    atomic_int last_quit;
    atomic_int passed_to; /* pid; 0: none */
    _Atomic(const char *) restore;
    struct termios modes; /* of the terminal before the screen changed them */
    bool has_modes;
} arrived;

static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
/* These kill too when nobody handles them, and are sent from outside: by a person, by ulimit -t. */
static const int killers[] = {SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF};

/* True: it is not for us. The kernel itself sends what the terminal's keys mean, to the whole
 * group. */
static bool pass_on(int number, const siginfo_t *info)
{
    int pid = atomic_load(&arrived.passed_to);
    int error = errno;

    if (!pid || number == SIGWINCH || number == SIGTSTP || number == SIGCONT)
        return false;
    if (info->si_code == SI_USER || info->si_code == SI_QUEUE)
        kill(pid, number);
    errno = error;
    return true;
}

static void note_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (pass_on(number, info))
        return;
    switch (number) {
    case SIGWINCH:
        atomic_store(&arrived.resize, number);
        break;
    case SIGTSTP:
        atomic_store(&arrived.suspend, number);
        break;
    case SIGCONT:
        atomic_store(&arrived.proceed, number);
        break;
    default:
        atomic_store(&arrived.quit, number);
        break;
    }
    wake_signal(arrived.wake);
}

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

    sigfillset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void note(int number)
{
    struct sigaction action = {.sa_sigaction = note_signal, .sa_flags = SA_RESTART | SA_SIGINFO};

    sigfillset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

/* What was ignored on purpose (nohup, a shell's background job) stays ignored. */
static void handle_unless_ignored(int number)
{
    struct sigaction old;

    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        note(number);
}

/* Other threads start with all signals blocked (base/thread.h), so that the handlers run in this
 * one. */
void signals_start(struct wake *wake)
{
    static const int quits[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP};
    sigset_t ours;

    arrived.wake = wake;
    arrived.has_modes = tcgetattr(STDIN_FILENO, &arrived.modes) == 0;
    handle(SIGPIPE, SIG_IGN, 0);
    for (size_t i = 0; i < sizeof quits / sizeof quits[0]; i++)
        handle_unless_ignored(quits[i]);
    note(SIGWINCH);
    note(SIGCONT);
    sigemptyset(&ours);
    for (size_t i = 0; i < sizeof quits / sizeof quits[0]; i++)
        sigaddset(&ours, quits[i]);
    sigaddset(&ours, SIGWINCH);
    sigaddset(&ours, SIGCONT);
    sigprocmask(SIG_UNBLOCK, &ours, NULL);
}

void signals_pass_to(int64_t pid)
{
    static const int more[] = {SIGQUIT, SIGUSR1, SIGUSR2};
    sigset_t ours;

    atomic_store(&arrived.passed_to, (int)pid);
    sigemptyset(&ours);
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        handle_unless_ignored(more[i]);
        sigaddset(&ours, more[i]);
    }
    sigprocmask(SIG_UNBLOCK, &ours, NULL);
}

enum signal_event signals_next(void)
{
    int quit = atomic_exchange(&arrived.quit, 0);

    if (quit) {
        atomic_store(&arrived.last_quit, quit);
        return SIGNAL_QUIT;
    }
    if (atomic_exchange(&arrived.suspend, 0))
        return SIGNAL_SUSPEND;
    if (atomic_exchange(&arrived.proceed, 0))
        return SIGNAL_CONTINUE;
    if (atomic_exchange(&arrived.resize, 0))
        return SIGNAL_RESIZE;
    return SIGNAL_NONE;
}

int signals_quit_number(void)
{
    return atomic_load(&arrived.last_quit);
}

bool signals_quit_is_wanted(void)
{
    return atomic_load(&arrived.quit) != 0 || atomic_load(&arrived.last_quit) != 0;
}

/* The whole process group, as the terminal's own key does it: a script that started us stops too.
 */
void signals_stop_self(void)
{
    handle(SIGTSTP, SIG_DFL, 0);
    kill(0, SIGTSTP);
    note(SIGTSTP);
}

void signals_restore_terminal(void)
{
    const char *bytes = atomic_load(&arrived.restore);

    if (bytes == NULL)
        return;
    if (write(STDOUT_FILENO, bytes, strlen(bytes)) < 0) {
        /* There is nothing left to try. */
    }
    if (arrived.has_modes)
        tcsetattr(STDIN_FILENO, TCSANOW, &arrived.modes);
}

static void restore_and_die(int number)
{
    signals_restore_terminal();
    handle(number, SIG_DFL, 0);
    raise(number); /* pending until this handler returns */
}

/* The stack may be what overflowed: the handlers of the main thread run on one of their own. */
static void use_own_stack(void)
{
    static char memory[64 * 1024];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};

    sigaltstack(&stack, NULL);
}

static void restore_or_not(int number, bool restores, int flags)
{
    struct sigaction old;

    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        handle(number, restores ? restore_and_die : SIG_DFL, restores ? flags : 0);
}

void signals_set_crash_restore(const char *bytes)
{
    sigset_t ours;

    atomic_store(&arrived.restore, bytes);
    if (bytes)
        use_own_stack();
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        restore_or_not(crashes[i], bytes != NULL, SA_ONSTACK);
    sigemptyset(&ours);
    for (size_t i = 0; i < sizeof killers / sizeof killers[0]; i++) {
        restore_or_not(killers[i], bytes != NULL, 0);
        sigaddset(&ours, killers[i]);
    }
    sigprocmask(SIG_UNBLOCK, &ours, NULL);
}
