/* Model stores: folders of programs that keep models under friendly names. A file's path tells
 * which store it lies in; the store's own records tell its names. Everything is read through the
 * observed machine's tree, bounded, and treated as from outside. */
#ifndef INSPECT_STORES_STORE_H
#define INSPECT_STORES_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"
#include "inspect/gathered.h"
#include "os/root.h"

/* Where a process sees its files. */
struct store_place {
    const struct root *root;
    const char *prefix; /* in front of its absolute paths: "", or "proc/42/root" in a container */
    struct arena *scratch;
};

/* The names under which stores know the file at this absolute path, the one to show first. Returns
 * how many, at most `limit`; everything is in the arena. Damaged records are passed over; *damaged
 * counts them. */
size_t store_names(const struct store_place *place, struct arena *arena, struct raw_text path,
                   struct store_name *names, size_t limit, size_t *damaged);

/* "MODEL:TAG", with NAMESPACE/ unless it is "library", with HOST/ unless it is Ollama's own. */
size_t ollama_names(const struct store_place *place, struct arena *arena, struct raw_text path,
                    struct store_name *names, size_t limit, size_t *damaged);
/* "ORG/NAME" and the file's path within its snapshot. */
size_t hugging_face_names(const struct store_place *place, struct arena *arena,
                          struct raw_text path, struct store_name *names, size_t limit);
/* The folder of the newest snapshot of "ORG/NAME" in the cache at `hub` (absolute); length 0: none.
 */
struct raw_text hugging_face_snapshot(const struct store_place *place, struct arena *arena,
                                      struct raw_text hub, struct raw_text repository);
/* Stores whose folders say it all: LM Studio, GPT4All, Jan, Handy, ModelScope. Pure. */
size_t folder_store_names(struct arena *arena, struct raw_text path, struct store_name *names,
                          size_t limit);

#endif
