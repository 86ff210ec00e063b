#include "inspect/path.h"

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

static bool is_of_windows(struct raw_text path)
{
    return (path.length >= 3 && path.bytes[1] == ':' &&
            (path.bytes[2] == '\\' || path.bytes[2] == '/')) ||
           (path.length >= 2 && path.bytes[0] == '\\' && path.bytes[1] == '\\');
}

bool path_is_absolute(struct raw_text path)
{
    return (path.length > 0 && path.bytes[0] == '/') || is_of_windows(path);
}

/* Appends the components of `path` to `out`, of which *length bytes are in use. */
static void append_components(char *out, size_t *length, struct raw_text path)
{
    size_t at = 0;
    while (at < path.length) {
        size_t end = at;
        while (end < path.length && path.bytes[end] != '/')
            end++;
        size_t size = end - at;
        if (size == 2 && memcmp(path.bytes + at, "..", 2) == 0) {
            while (*length > 0 && out[*length - 1] != '/')
                --*length;
            if (*length > 0)
                --*length;
        } else if (size > 0 && !(size == 1 && path.bytes[at] == '.')) {
            out[(*length)++] = '/';
            memcpy(out + *length, path.bytes + at, size);
            *length += size;
        }
        at = end + 1;
    }
}

struct raw_text path_absolute(struct arena *arena, struct raw_text folder, struct raw_text path)
{
    if (path.length == 0 || memchr(path.bytes, '\0', path.length))
        return (struct raw_text){0};
    if (is_of_windows(path))
        return (struct raw_text){arena_string(arena, path.bytes, path.length), path.length};
    if (path.bytes[0] != '/' && (folder.length == 0 || folder.bytes[0] != '/'))
        return (struct raw_text){0};
    char *out = arena_alloc(arena, folder.length + path.length + 3);
    size_t length = 0;
    if (path.bytes[0] != '/')
        append_components(out, &length, folder);
    append_components(out, &length, path);
    if (length == 0)
        out[length++] = '/';
    out[length] = '\0';
    return (struct raw_text){out, length};
}

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool matches_at(struct raw_text path, size_t at, const char *part, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (fold(path.bytes[at + i]) != part[i])
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
