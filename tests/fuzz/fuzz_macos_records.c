/* What macOS' kernel says, as any bytes: arguments, the process table, regions, descriptors and
 * sockets. Each walk ends, and what is told lies within the bytes. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "os/macos/calls.h"
#include "os/macos/kinfo.h"
#include "os/macos/process_arguments.h"
#include "os/macos/protected_path.h"
#include "os/macos/regions.h"
#include "os/macos/sockets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The kernel's next answers are the bytes, one after the other; behind them is the end. */
static struct {
    const uint8_t *data;
    size_t size, at;
    int calls;
} kernel;

static int answer(void *buffer, int room)
{
    size_t left = kernel.size - kernel.at;
    size_t given = left < (size_t)room ? left : (size_t)room;
    kernel.calls++;
    if (given == 0) {
        errno = EINVAL;
        return 0;
    }
    memcpy(buffer, kernel.data + kernel.at, given);
    kernel.at += given;
    return (int)given;
}

static int pid_info(int pid, int flavor, uint64_t argument, void *buffer, int size)
{
    (void)pid;
    (void)flavor;
    (void)argument;
    return answer(buffer, size);
}

static int fd_info(int pid, int fd, int flavor, void *buffer, int size)
{
    (void)pid;
    (void)fd;
    (void)flavor;
    return answer(buffer, size);
}

static const struct macos_calls calls = {.pid_info = pid_info, .fd_info = fd_info};

static void restart(const uint8_t *data, size_t size)
{
    kernel.data = data;
    kernel.size = size;
    kernel.at = 0;
    kernel.calls = 0;
}

static void check_within(struct raw_text part, struct raw_text whole)
{
    if (part.length > 0 &&
        (part.bytes < whole.bytes || part.bytes + part.length > whole.bytes + whole.length))
        abort();
}

static bool take(const struct listening_socket *socket, void *context)
{
    int *count = context;
    if (socket->port < 0 || socket->port > 65535)
        abort();
    return ++*count < 1000;
}

static void walk(struct arena *arena, const uint8_t *data, size_t size)
{
    struct macos_mapped_files mapped;
    struct process_files files = {.open_known = false};
    bool enough = false;
    int count = 0;
    restart(data, size);
    macos_regions_read(&calls, arena, 1, &mapped);
    if (mapped.count > MACOS_MAPPED_FILES_MAX || kernel.calls > MACOS_MAPPED_REGIONS_MAX)
        abort();
    restart(data, size);
    macos_open_files_read(&calls, arena, 1, &files);
    if (files.open_count > PROCESS_FILES_MAX || files.socket_count > PROCESS_FILES_MAX)
        abort();
    restart(data, size);
    macos_listening_of(&calls, 1, take, &count, &enough);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new();
    struct process_arguments arguments;
    struct raw_text bytes = {(const char *)data, size};
    if (size > 0 && process_arguments_parse(bytes, &arguments)) {
        check_within(arguments.program, bytes);
        check_within(arguments.command, bytes);
        check_within(arguments.environment, bytes);
        if (arguments.command.length > 0 &&
            arguments.command.bytes[arguments.command.length - 1] != '\0')
            abort();
    }
    if (size >= KINFO_BYTES) {
        struct macos_process process;
        if (kinfo_parse(arena, bytes.bytes, &process) &&
            (process.name.length > KINFO_NAME_BYTES || process.started_us < 0))
            abort();
    }
    char *path = arena_string(arena, bytes.bytes ? bytes.bytes : "", size);
    if (macos_path_is_below(path, path) != (path[strspn(path, "/")] != '\0'))
        abort();
    macos_path_is_protected(path);
    if (size > 0)
        walk(arena, data, size);
    arena_free(&arena);
    return 0;
}
