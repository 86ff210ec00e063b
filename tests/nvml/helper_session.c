#include "helper_session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fatal.h"
#include "gpu/helper/serve.h"

extern char **environ;

static void set_path(const struct helper_session *session, const char *variable, const char *file)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", session->folder, file);
    setenv(variable, path, 1);
}

static void write_file(const struct helper_session *session, const char *file, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", session->folder, file);
    FILE *stream = fopen(path, "w");
    if (stream == NULL)
        abort();
    fputs(text, stream);
    fclose(stream);
}

static void set_environment(struct helper_session *session, const struct helper_programs *programs,
                            const char *scenario_path, const char *scenario_text, const char *times,
                            int64_t epoch_us)
{
    char epoch[32];
    snprintf(epoch, sizeof epoch, "%lld", (long long)epoch_us);
    setenv("GPUTASKMAN_NVML", programs->library, 1);
    if (scenario_text != NULL) {
        write_file(session, "scenario.txt", scenario_text);
        set_path(session, "FAKE_NVML_SCENARIO", "scenario.txt");
    } else {
        setenv("FAKE_NVML_SCENARIO", scenario_path, 1);
    }
    set_path(session, "FAKE_NVML_LOG", "log");
    set_path(session, "FAKE_NVML_STEP_FILE", "step");
    unsetenv("FAKE_NVML_TIMES");
    unsetenv("FAKE_NVML_EPOCH");
    if (times != NULL)
        setenv("FAKE_NVML_TIMES", times, 1);
    if (epoch_us != 0)
        setenv("FAKE_NVML_EPOCH", epoch, 1);
}

void helper_session_start(struct helper_session *session, const struct helper_programs *programs,
                          const char *scenario_path, const char *scenario_text, const char *times,
                          int64_t epoch_us)
{
    memset(session, 0, sizeof *session);
    snprintf(session->folder, sizeof session->folder, "/tmp/nvml_helper_XXXXXX");
    int to[2], from[2];
    if (mkdtemp(session->folder) == NULL || pipe2(to, O_CLOEXEC) != 0 ||
        pipe2(from, O_CLOEXEC) != 0)
        abort();
    set_environment(session, programs, scenario_path, scenario_text, times, epoch_us);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    char *const argv[] = {(char *)programs->helper, NULL};
    pid_t pid;
    if (posix_spawn(&pid, programs->helper, &actions, NULL, argv, environ) != 0)
        abort();
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    session->pid = pid;
    session->to = to[1];
    session->from = from[0];
    session->arena = arena_new();
    signal(SIGPIPE, SIG_IGN);
}

/* Reads up to and with "end\n"; the bytes before it, or NULL. The caller frees them. */
static char *read_answer(struct helper_session *session, int patience_ms, size_t *length)
{
    size_t capacity = 1 << 20, used = 0;
    char *bytes = memory_new(capacity);
    struct pollfd wait = {.fd = session->from, .events = POLLIN};
    while (poll(&wait, 1, patience_ms) == 1) {
        if (used == capacity) {
            capacity *= 2;
            bytes = memory_grow(bytes, capacity, 1);
        }
        ssize_t more = read(session->from, bytes + used, capacity - used);
        if (more <= 0)
            break;
        used += (size_t)more;
        bool ended = used >= 4 && memcmp(bytes + used - 4, "end\n", 4) == 0;
        if (ended && (used == 4 || bytes[used - 5] == '\n')) {
            *length = used - 4;
            return bytes;
        }
    }
    free(bytes);
    return NULL;
}

bool helper_session_ask(struct helper_session *session, struct nvml_request *request,
                        int patience_ms)
{
    char line[SERVE_REQUEST_SIZE], step[32];
    snprintf(step, sizeof step, "%llu\n", (unsigned long long)session->number);
    write_file(session, "step", step);
    request->number = session->number++;
    nvml_request_write(request, line, sizeof line);
    size_t size = strlen(line);
    line[size++] = '\n';
    if (write(session->to, line, size) != (ssize_t)size)
        return false;
    size_t length = 0;
    char *bytes = read_answer(session, patience_ms, &length);
    if (bytes == NULL)
        return false;
    bool ok = nvml_answer_read((struct raw_text){bytes, length}, session->arena, &session->answer);
    if (!ok)
        fprintf(stderr, "# refused answer: %.*s\n", (int)length, bytes);
    free(bytes);
    return ok;
}

int helper_session_end(struct helper_session *session)
{
    int status = 0;
    close(session->to);
    while (waitpid(session->pid, &status, 0) < 0 && errno == EINTR) {
    }
    close(session->from);
    return status;
}

long helper_session_calls(const struct helper_session *session, const char *prefix)
{
    char path[128], name[128];
    long calls = 0, total = 0, errors = 0;
    snprintf(path, sizeof path, "%s/log", session->folder);
    FILE *log = fopen(path, "r");
    if (log == NULL)
        return -1;
    while (fscanf(log, "%127s calls=%ld errors=%ld", name, &calls, &errors) >= 2)
        if (strncmp(name, prefix, strlen(prefix)) == 0 && strcmp(name, "TOTAL") != 0)
            total += calls;
    fclose(log);
    return total;
}

void helper_session_free(struct helper_session *session)
{
    static const char *const files[] = {"scenario.txt", "step", "log"};
    char path[128];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", session->folder, files[i]);
        unlink(path);
    }
    rmdir(session->folder);
    arena_free(&session->arena);
}
