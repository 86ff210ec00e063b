#include "inspect/path.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

enum { PART_DIGITS = 5 };

struct raw_text path_basename(struct raw_text path)
{
    size_t start = 0;
    for (size_t i = 0; i < path.length; i++)
        if (path.bytes[i] == '/' || path.bytes[i] == '\\')
            start = i + 1;
    /* Nothing may be added to the NULL of a path that is not known. */
    return start > 0 ? (struct raw_text){path.bytes + start, path.length - start} : path;
}

struct raw_text path_folder(struct raw_text path)
{
    size_t length = path.length - path_basename(path).length;
    return (struct raw_text){path.bytes, length > 0 ? length - 1 : 0};
}

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_letter(char c)
{
    return fold(c) >= 'a' && fold(c) <= 'z';
}

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

static bool has_drive(struct raw_text path)
{
    return path.length >= 2 && path.bytes[1] == ':' && is_letter(path.bytes[0]);
}

bool path_is_of_windows(struct raw_text path)
{
    return (has_drive(path) && path.length >= 3 && is_slash(path.bytes[2])) ||
           (path.length >= 2 && path.bytes[0] == '\\' && path.bytes[1] == '\\');
}

bool path_is_absolute(struct raw_text path)
{
    return (path.length > 0 && path.bytes[0] == '/') || path_is_of_windows(path);
}

/* Appends the components of `path` to `out`, of which *length bytes are in use and `root` are not
 * to be taken back by "..". */
static void append_components(char *out, size_t root, size_t *length, struct raw_text path,
                              char separator)
{
    size_t at = 0;
    bool both = separator == '\\';
    while (at < path.length) {
        size_t end = at;
        while (end < path.length && path.bytes[end] != '/' && !(both && path.bytes[end] == '\\'))
            end++;
        size_t size = end - at;
        if (size == 2 && memcmp(path.bytes + at, "..", 2) == 0) {
            while (*length > root && out[*length - 1] != separator)
                --*length;
            if (*length > root)
                --*length;
        } else if (size > 0 && !(size == 1 && path.bytes[at] == '.')) {
            out[(*length)++] = separator;
            memcpy(out + *length, path.bytes + at, size);
            *length += size;
        }
        at = end + 1;
    }
}

static struct raw_text behind(struct raw_text path, size_t length)
{
    return (struct raw_text){path.bytes + length, path.length - length};
}

/* How much of it is its drive, or its server and share: "C:", "\\server\share". */
static size_t windows_root(struct raw_text path)
{
    size_t at = 2;
    if (has_drive(path))
        return at;
    for (int names = 0; names < 2; names++) {
        while (at < path.length && !is_slash(path.bytes[at]))
            at++;
        at += names == 0 && at < path.length ? 1 : 0;
    }
    return at;
}

/* "\x" is on the drive of the folder, "D:x" in the folder if that is on D:. */
static struct raw_text absolute_on_windows(struct arena *arena, struct raw_text folder,
                                           struct raw_text path)
{
    struct raw_text base = path;
    struct raw_text rest = {0};
    if (!path_is_of_windows(path)) {
        bool same_drive =
            has_drive(path) && has_drive(folder) && fold(path.bytes[0]) == fold(folder.bytes[0]);
        if (has_drive(path) && !same_drive)
            return (struct raw_text){0};
        base = folder;
        rest = same_drive ? behind(path, 2) : path;
        if (is_slash(path.bytes[0]))
            base.length = windows_root(folder);
    }
    size_t root = windows_root(base), length = root;
    char *out = arena_alloc(arena, base.length + rest.length + 3);
    for (size_t i = 0; i < root; i++)
        out[i] = is_slash(base.bytes[i]) ? '\\' : base.bytes[i];
    append_components(out, root, &length, behind(base, root), '\\');
    append_components(out, root, &length, rest, '\\');
    if (length == 2)
        out[length++] = '\\';
    out[length] = '\0';
    return (struct raw_text){out, length};
}

struct raw_text path_absolute(struct arena *arena, struct raw_text folder, struct raw_text path)
{
    if (path.length == 0 || memchr(path.bytes, '\0', path.length))
        return (struct raw_text){0};
    if (path_is_of_windows(path) || path_is_of_windows(folder))
        return absolute_on_windows(arena, folder, path);
    if (path.bytes[0] != '/' && (folder.length == 0 || folder.bytes[0] != '/'))
        return (struct raw_text){0};
    char *out = arena_alloc(arena, folder.length + path.length + 3);
    size_t length = 0;
    if (path.bytes[0] != '/')
        append_components(out, 0, &length, folder, '/');
    append_components(out, 0, &length, path, '/');
    if (length == 0)
        out[length++] = '/';
    out[length] = '\0';
    return (struct raw_text){out, length};
}

static bool matches_at(struct raw_text path, size_t at, const char *part, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (fold(path.bytes[at + i]) != part[i] && !(part[i] == '/' && path.bytes[at + i] == '\\'))
            return false;
    return true;
}

bool path_ends_folded(struct raw_text path, const char *suffix)
{
    size_t length = strlen(suffix);
    return path.length >= length && matches_at(path, path.length - length, suffix, length);
}

bool path_contains(struct raw_text path, const char *part)
{
    size_t length = strlen(part);
    for (size_t at = 0; at + length <= path.length; at++)
        if (matches_at(path, at, part, length))
            return true;
    return false;
}

bool path_equal(struct raw_text a, struct raw_text b)
{
    return a.length == b.length && a.length > 0 && memcmp(a.bytes, b.bytes, a.length) == 0;
}

static bool equal_folded(struct raw_text a, struct raw_text b)
{
    for (size_t i = 0; i < a.length && a.length == b.length; i++)
        if (fold(a.bytes[i]) != fold(b.bytes[i]) && !(is_slash(a.bytes[i]) && is_slash(b.bytes[i])))
            return false;
    return a.length == b.length && a.length > 0;
}

bool path_same(struct raw_text a, struct raw_text b)
{
    return path_is_of_windows(a) && path_is_of_windows(b) ? equal_folded(a, b) : path_equal(a, b);
}

bool path_same_name(struct raw_text a, struct raw_text b)
{
    bool folded = path_is_of_windows(a) || path_is_of_windows(b);
    a = path_basename(a);
    b = path_basename(b);
    return folded ? equal_folded(a, b) : path_equal(a, b);
}

bool path_in_tree(const char *prefix, struct raw_text path, char *out, size_t size)
{
    bool of_windows = path_is_of_windows(path);
    out[0] = '\0';
    if (path.length < 2 || memchr(path.bytes, '\0', path.length) ||
        (!of_windows && path.bytes[0] != '/'))
        return false;
    if (!of_windows)
        path = behind(path, 1);
    int length =
        snprintf(out, size, "%s%s%.*s", prefix, prefix[0] ? "/" : "", (int)path.length, path.bytes);
    if (length < 0 || (size_t)length >= size) {
        out[0] = '\0';
        return false;
    }
    for (char *at = out; of_windows && *at; at++)
        if (*at == '\\')
            *at = '/';
    return true;
}

struct raw_text path_from_tree(struct arena *arena, const char *prefix, const char *place)
{
    const char *own = place + strlen(prefix);
    struct raw_text found = raw_from_string(own);
    size_t size = found.length + 2;
    char *path = arena_alloc(arena, size);
    bool of_windows = path_is_of_windows(found);
    snprintf(path, size, "%s%s", of_windows || own[0] == '/' ? "" : "/", own);
    for (char *at = path; of_windows && *at; at++)
        if (*at == '/')
            *at = '\\';
    return raw_from_string(path);
}

static bool take_digits(struct raw_text text, size_t at, int64_t *value)
{
    *value = 0;
    for (size_t i = at; i < at + PART_DIGITS; i++) {
        if (text.bytes[i] < '0' || text.bytes[i] > '9')
            return false;
        *value = *value * 10 + (text.bytes[i] - '0');
    }
    return true;
}

bool path_part_parse(struct raw_text path, struct path_part *part)
{
    static const char between[] = "-of-";
    enum { SPAN = 1 + PART_DIGITS + 4 + PART_DIGITS };
    struct raw_text name = path_basename(path);
    size_t dot = name.length;
    while (dot > 0 && name.bytes[dot - 1] != '.')
        dot--;
    if (dot < SPAN + 1)
        return false;
    size_t end = dot - 1, start = end - SPAN;
    if (name.bytes[start] != '-' || !take_digits(name, start + 1, &part->number) ||
        memcmp(name.bytes + start + 1 + PART_DIGITS, between, 4) != 0 ||
        !take_digits(name, end - PART_DIGITS, &part->count) || part->number < 1 ||
        part->number > part->count)
        return false;
    part->stem = (struct raw_text){name.bytes, start};
    part->extension = (struct raw_text){name.bytes + end, name.length - end};
    return true;
}

struct raw_text path_of_first_part(struct arena *arena, struct raw_text path,
                                   const struct path_part *part)
{
    char *copy = arena_string(arena, path.bytes, path.length);
    size_t number_at = (size_t)(part->stem.bytes - path.bytes) + part->stem.length + 1;
    memcpy(copy + number_at, "00001", PART_DIGITS);
    return (struct raw_text){copy, path.length};
}

/* 64 hexadecimal digits: the name of a blob by its content. */
static bool is_digest(struct raw_text text)
{
    if (text.length != 64)
        return false;
    for (size_t i = 0; i < text.length; i++) {
        char c = fold(text.bytes[i]);
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return false;
    }
    return true;
}

enum path_promise path_promises_model(struct raw_text path)
{
    static const char *const certain[] = {".gguf", ".safetensors", ".onnx",     ".engine",
                                          ".plan", ".ckpt",        ".llamafile"};
    static const char *const possible[] = {".bin", ".pt", ".pth", ".ggml", ".trt", ".sft"};
    struct raw_text name = path_basename(path);
    for (size_t i = 0; i < sizeof certain / sizeof *certain; i++)
        if (path_ends_folded(name, certain[i]))
            return PATH_MODEL;
    struct raw_text digest = {name.bytes + 7, name.length > 7 ? name.length - 7 : 0};
    if (name.length == 7 + 64 && matches_at(name, 0, "sha256", 6) && is_digest(digest))
        return PATH_PERHAPS_MODEL;
    if (is_digest(name) && path_contains(path, "/blobs/"))
        return PATH_PERHAPS_MODEL;
    for (size_t i = 0; i < sizeof possible / sizeof *possible; i++)
        if (path_ends_folded(name, possible[i]))
            return PATH_PERHAPS_MODEL;
    return PATH_NO_MODEL;
}

struct raw_text path_model_stem(struct raw_text path)
{
    struct path_part part;
    if (path_part_parse(path, &part) && part.stem.length > 0)
        return part.stem;
    struct raw_text name = path_basename(path);
    if (path_promises_model(path) != PATH_NO_MODEL)
        for (size_t i = name.length; i > 1; i--)
            if (name.bytes[i - 1] == '.')
                return (struct raw_text){name.bytes, i - 1};
    return name;
}

static bool is_one_of(struct raw_text name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (name.length == strlen(words[i]) && path_ends_folded(name, words[i]))
            return true;
    return false;
}

struct raw_text path_model_name(struct raw_text path)
{
    static const char *const generic[] = {"model",
                                          "model.safetensors.index.json",
                                          "adapter_model",
                                          "consolidated",
                                          "pytorch_model",
                                          "pytorch_model.bin.index.json",
                                          "diffusion_pytorch_model",
                                          "diffusion_pytorch_model.safetensors.index.json"};
    /* Where models lie, not what they are. */
    static const char *const places[] = {"model",   "models", "weights",     "checkpoint",
                                         "ckpt",    "gguf",   "checkpoints", "snapshots",
                                         "adapter", "data",   "tmp",         "mnt"};
    struct raw_text stem = path_model_stem(path);
    if (!is_one_of(stem, generic, sizeof generic / sizeof *generic))
        return stem;
    struct raw_text place = path_folder(path);
    while (is_one_of(path_basename(place), places, sizeof places / sizeof *places))
        place = path_folder(place);
    struct raw_text folder = path_basename(place);
    return folder.length > 0 && folder.bytes[0] != '.' ? folder : stem;
}
