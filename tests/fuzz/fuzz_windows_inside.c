/* What Windows tells of the inside of a process: command lines, the kernel's paths, tables of
 * sockets; and paths of Windows from anywhere. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "inspect/path.h"
#include "inspect/servers/listeners.h"
#include "inspect/stores/store.h"
#include "os/windows/command_line.h"
#include "os/windows/path_name.h"
#include "os/windows/tcp_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool take(const struct listening_socket *socket, void *context)
{
    struct listener listener;
    size_t *count = context;
    if (listener_of(socket, &listener) && (listener.port <= 0 || listener.port > 65535))
        abort();
    return ++*count < 64;
}

static void try_paths(struct arena *arena, struct raw_text raw)
{
    static const struct drive_device drives[] = {{'C', "\\Device\\HarddiskVolume3"},
                                                 {'N', "\\Device\\Mup\\;N:1\\nas\\m"}};
    static const struct raw_text folder = {"C:\\Users\\ann", 12};
    char spelled[256], place[256];
    struct store_name name;
    struct raw_text of_device = windows_path_of_device(arena, raw, drives, 2);
    struct raw_text absolute = path_absolute(arena, folder, raw);
    if (of_device.length > raw.length + 2 ||
        (absolute.bytes && !path_is_of_windows(absolute) && !memchr(raw.bytes, '/', raw.length)))
        abort();
    if (absolute.bytes && !path_same(path_absolute(arena, folder, absolute), absolute))
        abort();
    if (absolute.bytes && path_in_tree("", absolute, place, sizeof place))
        path_from_tree(arena, "", place);
    const char *string = arena_string(arena, raw.bytes, raw.length);
    if (windows_path_long(string, spelled, sizeof spelled) &&
        (strncmp(spelled, "\\\\?\\", 4) != 0 || strchr(spelled, '/')))
        abort();
    folder_store_names(arena, raw, &name, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new_small();
    struct raw_text raw = {(const char *)data, size};
    size_t count = 0;
    tcp_table_each(data, size, false, take, &count);
    tcp_table_each(data, size, true, take, &count);
    struct raw_text arguments = command_line_arguments(arena, raw);
    if (arguments.length > size + 1 ||
        (arguments.length > 0 && arguments.bytes[arguments.length - 1] != '\0'))
        abort();
    try_paths(arena, raw);
    arena_free(&arena);
    return 0;
}
