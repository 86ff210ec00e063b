#include "os/linux/interop.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/lines.h"
#include "base/number.h"

#define BINFMT "proc/sys/fs/binfmt_misc/"
#define IN_WINDOWS "/Windows/System32/WindowsPowerShell/v1.0/powershell.exe"

enum { MOUNTS_LIMIT = 1 << 20, SOCKETS_MAX = 1024 };

/* The first line of an entry; bytes NULL: it is not there. */
static struct raw_text first_line(const struct root *root, const char *path, char *buffer,
                                  size_t size)
{
    size_t length = 0;
    struct raw_text line = {NULL, 0};
    enum root_result result = root_read(root, path, buffer, size, &length, NULL);
    if (result != ROOT_OK && result != ROOT_TRUNCATED)
        return line;
    struct raw_text rest = {buffer, length};
    return lines_next(&rest, &line) ? raw_trim(line) : (struct raw_text){buffer, 0};
}

enum interop interop_of(const struct root *root)
{
    static const char *const entries[] = {BINFMT "WSLInterop", BINFMT "WSLInterop-late"};
    char text[256];
    struct raw_text status = first_line(root, BINFMT "status", text, sizeof text);
    if (status.bytes && !raw_equal_string(status, "enabled"))
        return INTEROP_OFF;
    enum interop found = INTEROP_MISSING;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        struct raw_text line = first_line(root, entries[i], text, sizeof text);
        if (line.bytes && raw_equal_string(line, "enabled"))
            return INTEROP_ON;
        if (line.bytes)
            found = INTEROP_OFF;
    }
    return found;
}

/* "\040" in /proc/mounts is a blank. */
static size_t unescape(struct raw_text text, char *out, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < text.length && length + 1 < size; i++) {
        const char *at = text.bytes + i;
        bool octal = *at == '\\' && i + 3 < text.length && at[1] >= '0' && at[1] <= '3' &&
                     at[2] >= '0' && at[2] <= '7' && at[3] >= '0' && at[3] <= '7';
        out[length++] =
            octal ? (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0')) : *at;
        i += octal ? 3 : 0;
    }
    out[length] = '\0';
    return length;
}

static bool is_drive_c(const char *text)
{
    return (text[0] == 'C' || text[0] == 'c') && text[1] == ':';
}

struct search {
    const struct root *root;
    char *path;
    bool found;
};

static bool look_at_mount(struct raw_text line, void *context)
{
    struct search *search = context;
    struct raw_text source, target, type, options;
    char text[INTEROP_PATH_SIZE];
    if (!words_next(&line, &source) || !words_next(&line, &target) || !words_next(&line, &type) ||
        !words_next(&line, &options))
        return true;
    if (!raw_equal_string(type, "9p") && !raw_equal_string(type, "drvfs") &&
        !raw_equal_string(type, "virtiofs"))
        return true;
    unescape(source, text, sizeof text);
    bool is_c = is_drive_c(text);
    unescape(options, text, sizeof text);
    const char *path = strstr(text, "path=");
    if (!is_c && !(path && is_drive_c(path + sizeof "path=" - 1)))
        return true;
    size_t length = unescape(target, text, sizeof text);
    if (length + sizeof IN_WINDOWS > INTEROP_PATH_SIZE || text[0] != '/')
        return true;
    snprintf(search->path, INTEROP_PATH_SIZE, "%.*s%s", (int)length, text,
             length == 1 ? &IN_WINDOWS[1] : IN_WINDOWS);
    search->found = root_exists(search->root, search->path + 1);
    return !search->found;
}

void interop_powershell(const struct root *root, char path[INTEROP_PATH_SIZE])
{
    struct search search = {.root = root, .path = path};
    root_each_line(root, "proc/mounts", MOUNTS_LIMIT, look_at_mount, &search, NULL);
    if (!search.found)
        snprintf(path, INTEROP_PATH_SIZE, "powershell.exe");
}

/* "4711_interop": the process whose session it is; 0: it is no such name. */
static uint64_t session_of(const char *name)
{
    struct raw_text pid, rest;
    uint64_t number;
    return raw_split(raw_from_string(name), '_', &pid, &rest) &&
                   raw_equal_string(rest, "interop") && number_parse_u64(pid, &number, NULL)
               ? number
               : 0;
}

void interop_socket(const struct root *root, const char *named, char path[INTEROP_PATH_SIZE])
{
    path[0] = '\0';
    if (named && named[0] == '/' && strlen(named) < INTEROP_PATH_SIZE &&
        root_exists(root, named + 1)) {
        memcpy(path, named, strlen(named) + 1);
        return;
    }
    struct arena *arena = arena_new();
    char **names, socket[64], process[64];
    size_t count = 0;
    int64_t newest_ns = INT64_MIN;
    bool newest_lives = false;
    root_list(root, arena, "run/WSL", SOCKETS_MAX, &names, &count);
    for (size_t i = 0; i < count; i++) {
        uint64_t session = session_of(names[i]);
        int64_t changed_ns = 0;
        if (session == 0)
            continue;
        snprintf(socket, sizeof socket, "run/WSL/%.40s", names[i]);
        snprintf(process, sizeof process, "proc/%" PRIu64, session);
        bool lives = root_exists(root, process);
        if (!root_modified_ns(root, socket, &changed_ns) ||
            (newest_ns != INT64_MIN &&
             (newest_lives > lives || (newest_lives == lives && changed_ns <= newest_ns))))
            continue;
        newest_ns = changed_ns;
        newest_lives = lives;
        snprintf(path, INTEROP_PATH_SIZE, "/%s", socket);
    }
    arena_free(&arena);
}
