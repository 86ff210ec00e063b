/* Paths as bytes, of Linux and of Windows ("C:\m.gguf", "\\server\share\m.gguf"), whatever system
 * we run on. Pure: no file is touched. */
#ifndef INSPECT_PATH_H
#define INSPECT_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

/* Behind the last '/' or '\\'. */
struct raw_text path_basename(struct raw_text path);
/* Before it, without it; empty when there is none. */
struct raw_text path_folder(struct raw_text path);
/* Absolute, without "//", "." and "..", NUL-terminated, in the arena. bytes NULL when `path` is
 * relative and `folder` is unknown, or when it holds a NUL. A path of Windows gets backslashes. */
struct raw_text path_absolute(struct arena *arena, struct raw_text folder, struct raw_text path);
bool path_is_absolute(struct raw_text path);
/* "C:\..." or "\\server\...": whatever stands in it, '/' parts names too. */
bool path_is_of_windows(struct raw_text path);
/* ASCII, without regard to case; '/' in the pattern is a backslash too. */
bool path_ends_folded(struct raw_text path, const char *suffix);
bool path_contains(struct raw_text path, const char *part);
bool path_equal(struct raw_text a, struct raw_text b);
/* The same path however it is spelled: of Windows without regard to case (ASCII) and to which way
 * its slashes lean. */
bool path_same(struct raw_text a, struct raw_text b);
/* The same of the names behind their folders. */
bool path_same_name(struct raw_text a, struct raw_text b);
/* Where an absolute path lies in the observed tree (os/root.h): behind `prefix` ("" or
 * "proc/42/root") and without its leading slash; a path of Windows as it is, with '/'. False when
 * it is not absolute or too long: `out` is "" then. */
bool path_in_tree(const char *prefix, struct raw_text path, char *out, size_t size);
/* The reverse, for what was found there; in the arena. */
struct raw_text path_from_tree(struct arena *arena, const char *prefix, const char *place);

/* "NAME-00002-of-00003.gguf": a part of a model in several files. `stem` is NAME, `extension`
 * ".gguf". */
struct path_part {
    struct raw_text stem, extension;
    int64_t number, count; /* number from 1 */
};
bool path_part_parse(struct raw_text path, struct path_part *part);
/* The path of part 1, in the arena. */
struct raw_text path_of_first_part(struct arena *arena, struct raw_text path,
                                   const struct path_part *part);

/* What a name promises: a file with weights for certain, perhaps one (".bin"), or nothing. */
enum path_promise { PATH_NO_MODEL, PATH_PERHAPS_MODEL, PATH_MODEL };
enum path_promise path_promises_model(struct raw_text path);
/* A file name without folder, part number and extension: "qwen3-32b-q4_k_m". */
struct raw_text path_model_stem(struct raw_text path);
/* The same, and the folder's name where the file has one that every model's file has
 * ("model.safetensors"). */
struct raw_text path_model_name(struct raw_text path);

#endif
