#include "os/windows/path_name.h"

#include <string.h>

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_letter(char c)
{
    return fold(c) >= 'a' && fold(c) <= 'z';
}

static bool is_separator(char c)
{
    return c == '\\' || c == '/';
}

/* Without regard to case; behind it a name ends. */
static bool begins_with_names(struct raw_text path, const char *names)
{
    size_t length = strlen(names);
    if (path.length < length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (fold(path.bytes[i]) != fold(names[i]))
            return false;
    return path.length == length || is_separator(path.bytes[length]) ||
           (length > 0 && is_separator(names[length - 1]));
}

static struct raw_text behind(struct raw_text path, size_t length)
{
    return (struct raw_text){path.bytes + length, path.length - length};
}

static struct raw_text joined(struct arena *arena, const char *head, struct raw_text tail)
{
    size_t length = strlen(head);
    char *path = arena_alloc(arena, length + tail.length + 1);
    memcpy(path, head, length);
    memcpy(path + length, tail.bytes, tail.length);
    path[length + tail.length] = '\0';
    return (struct raw_text){path, length + tail.length};
}

/* "nas\\models" of "\\Device\\LanmanRedirector\\;N:0001\\nas\\models": what a drive of the network
 * stands for; "" for all others. */
static const char *share_of(const char *device)
{
    const char *mark = NULL;
    for (const char *at = strstr(device, "\\;"); at; at = strstr(at + 1, "\\;"))
        mark = at;
    const char *share = mark ? strchr(mark + 2, '\\') : NULL;
    return share ? share + 1 : "";
}

static struct raw_text path_on_network(struct arena *arena, struct raw_text path,
                                       const struct drive_device *drives, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *share = share_of(drives[i].device), drive[] = {drives[i].letter, ':', '\0'};
        if (share[0] && begins_with_names(path, share))
            return joined(arena, drive, behind(path, strlen(share)));
    }
    return joined(arena, "\\\\", path);
}

struct raw_text windows_path_of_device(struct arena *arena, struct raw_text path,
                                       const struct drive_device *drives, size_t count)
{
    static const char *const network[] = {"\\??\\UNC\\", "\\\\?\\UNC\\", "\\Device\\Mup\\",
                                          "\\Device\\LanmanRedirector\\"};
    static const char *const plain[] = {"\\??\\", "\\\\?\\", "\\DosDevices\\"};
    for (size_t i = 0; i < sizeof network / sizeof *network; i++)
        if (begins_with_names(path, network[i]))
            return path_on_network(arena, behind(path, strlen(network[i])), drives, count);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (begins_with_names(path, plain[i])) {
            struct raw_text rest = behind(path, strlen(plain[i]));
            return rest.length >= 3 && is_letter(rest.bytes[0]) && rest.bytes[1] == ':'
                       ? joined(arena, "", rest)
                       : (struct raw_text){0};
        }
    const struct drive_device *best = NULL;
    for (size_t i = 0; i < count; i++)
        if (drives[i].device[0] && begins_with_names(path, drives[i].device) &&
            (!best || strlen(drives[i].device) > strlen(best->device)))
            best = &drives[i];
    if (!best)
        return (struct raw_text){0};
    const char drive[] = {best->letter, ':', '\0'};
    return joined(arena, drive, behind(path, strlen(best->device)));
}

bool windows_path_is_on_drive(const char *path)
{
    return is_letter(path[0]) && path[1] == ':' && is_separator(path[2]);
}

/* One name onto out[0..*length); "." and empty ones add nothing, ".." takes the last away. */
static bool add_name(char *out, size_t size, size_t *length, size_t root, const char *name,
                     size_t name_length)
{
    if (name_length == 0 || (name_length == 1 && name[0] == '.'))
        return true;
    if (name_length == 2 && name[0] == '.' && name[1] == '.') {
        while (*length > root && out[*length - 1] != '\\')
            --*length;
        if (*length > root)
            --*length;
        return true;
    }
    if (*length + name_length + 2 > size)
        return false;
    out[(*length)++] = '\\';
    memcpy(out + *length, name, name_length);
    *length += name_length;
    return true;
}

bool windows_path_long(const char *path, char *out, size_t size)
{
    static const char prefix[] = "\\\\?\\";
    size_t length = sizeof prefix - 1 + 2, root = length;
    if (!windows_path_is_on_drive(path) || size < length + 2)
        return false;
    memcpy(out, prefix, sizeof prefix - 1);
    memcpy(out + sizeof prefix - 1, path, 2);
    for (const char *at = path + 2; *at;) {
        at += is_separator(*at) ? 1 : 0;
        size_t name_length = strcspn(at, "\\/");
        if (!add_name(out, size, &length, root, at, name_length))
            return false;
        at += name_length;
    }
    if (length == root)
        out[length++] = '\\';
    out[length] = '\0';
    return true;
}
