/* Runs a terminal program in a pseudo-terminal and measures it, the processes it starts included.
 *
 *   tuimeter [-c COLS] [-r ROWS] [-w WARM_S] [-s SECONDS] [-o FILE] [-k KEYS] [-q KEY] [-p FILE]
 *            -- PROGRAM ARGUMENTS...
 *
 * Prints one figure a line, "name value unit": milliseconds from exec to the first byte and to the
 * first frame (the end of the first burst of output, the first 200 bytes at least); then, over
 * SECONDS after WARM_S, of every thread that lives at both ends: CPU time (schedstat: exact, not by
 * ticks) and times that it went to sleep (wake-ups), a second; resident memory at the end; and,
 * from the key that ends it (-q, default q), milliseconds to the first byte that follows, to the
 * terminal being given back and to the end of the process.
 *
 * -o keeps the raw output; -k sends KEYS after WARM_S; -p writes the ids of the program and of what
 * it started to a file as soon as it has warmed up (for strace -p). Device attribute and cursor
 * queries are answered as xterm would. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 256, FAMILY_MAX = 64, PATH_SIZE = 128, BUFFER_SIZE = 1 << 16 };

/* One thread of the program, or of a process that it started. */
struct thread_seen {
    pid_t process, id;
    char name[17];
    double cpu_ms;
    long sleeps;
};

struct seen {
    struct thread_seen threads[THREADS_MAX];
    size_t count;
    pid_t family[FAMILY_MAX];
    size_t family_count;
};

struct stream {
    int terminal, keep;
    double start_ms, first_byte_ms, first_frame_ms, last_ms, restored_ms;
    long bytes, bursts;
    bool ended;
};

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* The number behind the last line that begins with the key; -1: none. */
static long field(const char *path, const char *key)
{
    char line[256];
    long value = -1;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            value = atol(line + strlen(key));
    if (file)
        fclose(file);
    return value;
}

static void see_thread(struct seen *seen, pid_t process, pid_t id)
{
    char path[PATH_SIZE];
    if (seen->count == THREADS_MAX)
        return;
    struct thread_seen *thread = &seen->threads[seen->count++];
    *thread = (struct thread_seen){.process = process, .id = id};
    unsigned long long ns = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", process, id);
    FILE *file = fopen(path, "r");
    if (file) {
        if (fscanf(file, "%llu", &ns) != 1)
            ns = 0;
        fclose(file);
    }
    thread->cpu_ms = (double)ns * 1e-6;
    snprintf(path, sizeof path, "/proc/%d/task/%d/status", process, id);
    thread->sleeps = field(path, "voluntary_ctxt_switches:");
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", process, id);
    file = fopen(path, "r");
    if (file) {
        if (fgets(thread->name, sizeof thread->name, file))
            thread->name[strcspn(thread->name, "\n")] = '\0';
        fclose(file);
    }
}

static void see_process(struct seen *seen, pid_t process);

static void see_children(struct seen *seen, pid_t process, pid_t thread)
{
    char path[PATH_SIZE];
    int child;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, thread);
    FILE *file = fopen(path, "r");
    while (file && fscanf(file, "%d", &child) == 1)
        see_process(seen, child);
    if (file)
        fclose(file);
}

static void see_process(struct seen *seen, pid_t process)
{
    char path[PATH_SIZE];
    if (seen->family_count == FAMILY_MAX)
        return;
    seen->family[seen->family_count++] = process;
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        pid_t thread = entry->d_name[0] == '.' ? 0 : atoi(entry->d_name);
        if (thread <= 0)
            continue;
        see_thread(seen, process, thread);
        see_children(seen, process, thread);
    }
    if (folder)
        closedir(folder);
}

static void answer_queries(int terminal, const char *text, size_t length)
{
    static const struct {
        const char *query, *answer;
    } table[] = {
        {"\033[c", "\033[?62;22c"},
        {"\033[0c", "\033[?62;22c"},
        {"\033[6n", "\033[1;1R"},
        {"\033[>c", "\033[>0;276;0c"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (memmem(text, length, table[i].query, strlen(table[i].query)) &&
            write(terminal, table[i].answer, strlen(table[i].answer)) < 0)
            return;
}

static void take(struct stream *stream)
{
    static char buffer[BUFFER_SIZE];
    ssize_t got = read(stream->terminal, buffer, sizeof buffer);
    if (got <= 0) {
        stream->ended = true;
        return;
    }
    stream->last_ms = now_ms();
    if (stream->first_byte_ms == 0)
        stream->first_byte_ms = stream->last_ms;
    if (memmem(buffer, (size_t)got, "\033[?1049l", 8))
        stream->restored_ms = stream->last_ms;
    stream->bytes += got;
    answer_queries(stream->terminal, buffer, (size_t)got);
    if (stream->keep >= 0 && write(stream->keep, buffer, (size_t)got) < 0)
        stream->keep = -1;
}

/* Reads output until `until_ms`; a burst ends after 20 ms of silence. */
static void pump(struct stream *stream, double until_ms)
{
    bool in_burst = false;
    for (double now; (now = now_ms()) < until_ms && !stream->ended;) {
        double left = until_ms - now, wait = in_burst && left > 20 ? 20 : left;
        struct pollfd waiting = {.fd = stream->terminal, .events = POLLIN};
        int ready = poll(&waiting, 1, (int)wait + 1);
        if (ready == 0 && in_burst) {
            in_burst = false;
            stream->bursts++;
            if (stream->first_frame_ms == 0 && stream->bytes >= 200)
                stream->first_frame_ms = stream->last_ms;
        }
        if (ready > 0) {
            take(stream);
            in_burst = true;
        }
    }
}

static void print_threads(const struct seen *before, const struct seen *after, pid_t program,
                          double seconds)
{
    double own_ms = 0, helpers_ms = 0, most_sleeps = 0;
    for (size_t i = 0; i < after->count; i++)
        for (size_t k = 0; k < before->count; k++) {
            const struct thread_seen *then = &before->threads[k], *now = &after->threads[i];
            if (then->id != now->id || then->process != now->process)
                continue;
            double cpu_ms = (now->cpu_ms - then->cpu_ms) / seconds;
            double sleeps = (double)(now->sleeps - then->sleeps) / seconds;
            *(now->process == program ? &own_ms : &helpers_ms) += cpu_ms;
            most_sleeps = sleeps > most_sleeps ? sleeps : most_sleeps;
            printf("thread %s%s: %.3f ms CPU, %.2f wake-ups a second\n",
                   now->process == program ? "" : "helper ", now->name, cpu_ms, sleeps);
        }
    printf("cpu %.3f ms/s\ncpu-own %.3f ms/s\ncpu-helpers %.3f ms/s\nwakeups-most %.2f /s\n",
           own_ms + helpers_ms, own_ms, helpers_ms, most_sleeps);
}

static void print_memory(const struct seen *seen)
{
    char path[PATH_SIZE];
    for (size_t i = 0; i < seen->family_count; i++) {
        snprintf(path, sizeof path, "/proc/%d/status", seen->family[i]);
        printf("%s %ld KiB (highest %ld)\n", i == 0 ? "rss" : "rss-helper", field(path, "VmRSS:"),
               field(path, "VmHWM:"));
    }
}

static void write_family(const char *path, const struct seen *seen)
{
    FILE *file = path ? fopen(path, "w") : NULL;
    for (size_t i = 0; file && i < seen->family_count; i++)
        fprintf(file, "%d\n", seen->family[i]);
    if (file)
        fclose(file);
}

static pid_t start(char **arguments, int terminal)
{
    pid_t program = fork();
    if (program != 0)
        return program;
    setsid();
    int slave = open(ptsname(terminal), O_RDWR);
    dup2(slave, 0), dup2(slave, 1), dup2(slave, 2);
    close_range(3, ~0U, 0);
    execvp(arguments[0], arguments);
    perror(arguments[0]);
    _exit(127);
}

/* The end: from the key to the terminal being given back and to the end of the process. */
static void end(struct stream *stream, pid_t program, const char *key)
{
    double pressed_ms = now_ms();
    pid_t ended = 0;
    stream->restored_ms = 0;
    bool pressed = write(stream->terminal, key, strlen(key)) > 0;
    while (pressed && ended == 0 && now_ms() - pressed_ms < 5000) {
        if (!stream->ended)
            pump(stream, now_ms() + 1);
        else
            usleep(1000);
        ended = waitpid(program, NULL, WNOHANG);
    }
    if (ended == program) {
        if (stream->restored_ms > 0)
            printf("restored %.1f ms\n", stream->restored_ms - pressed_ms);
        printf("close %.1f ms\n", now_ms() - pressed_ms);
        return;
    }
    printf("close - (it did not end by %s)\n", key);
    kill(program, SIGTERM);
    for (int i = 0; i < 100 && waitpid(program, NULL, WNOHANG) == 0; i++) {
        pump(stream, now_ms() + 20);
        if (i == 80)
            kill(program, SIGKILL);
    }
}

int main(int argc, char **argv)
{
    struct winsize size = {.ws_row = 40, .ws_col = 120};
    double warm_s = 3, span_s = 10;
    const char *keep = NULL, *keys = NULL, *key = "q", *family = NULL;
    int option;

    while ((option = getopt(argc, argv, "+c:r:w:s:o:k:q:p:")) != -1)
        switch (option) {
        case 'c':
            size.ws_col = (unsigned short)atoi(optarg);
            break;
        case 'r':
            size.ws_row = (unsigned short)atoi(optarg);
            break;
        case 'w':
            warm_s = atof(optarg);
            break;
        case 's':
            span_s = atof(optarg);
            break;
        case 'o':
            keep = optarg;
            break;
        case 'k':
            keys = optarg;
            break;
        case 'q':
            key = optarg;
            break;
        case 'p':
            family = optarg;
            break;
        default:
            return 2;
        }
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (optind >= argc || terminal < 0 || grantpt(terminal) < 0 || unlockpt(terminal) < 0)
        return 2;
    ioctl(terminal, TIOCSWINSZ, &size);
    struct stream stream = {
        .terminal = terminal,
        .keep = keep ? open(keep, O_CREAT | O_TRUNC | O_WRONLY, 0644) : -1,
        .start_ms = now_ms(),
    };
    pid_t program = start(argv + optind, terminal);
    pump(&stream, stream.start_ms + warm_s * 1e3);
    if (keys && write(terminal, keys, strlen(keys)) > 0)
        pump(&stream, now_ms() + 1500);

    static struct seen before, after;
    see_process(&before, program);
    write_family(family, &before);
    double began_ms = now_ms();
    stream.bytes = stream.bursts = 0;
    pump(&stream, began_ms + span_s * 1e3);
    see_process(&after, program);
    double seconds = (now_ms() - began_ms) / 1e3;

    printf("first-byte %.1f ms\nfirst-frame %.1f ms\n", stream.first_byte_ms - stream.start_ms,
           stream.first_frame_ms - stream.start_ms);
    print_threads(&before, &after, program, seconds);
    printf("frames %.2f /s\nbytes %.0f /s\n", (double)stream.bursts / seconds,
           (double)stream.bytes / seconds);
    print_memory(&after);
    end(&stream, program, key);
    return 0;
}
