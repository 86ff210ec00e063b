/* Model files whose headers were read, kept by what they are (device, inode, size, time of change),
 * so that each is read once however many processes have it. Bounded; safe to share by threads. */
#ifndef INSPECT_FILE_CACHE_H
#define INSPECT_FILE_CACHE_H

#include "base/arena.h"
#include "base/problem.h"
#include "base/reference.h"
#include "inspect/files/model_file.h"
#include "os/root.h"

struct file_cache;

/* Immutable, shared by reference count. */
struct known_file {
    struct reference reference;
    struct arena *arena;
    bool is_model; /* false: `problem` says why not */
    struct model_file file;
    struct problem problem;
};

struct known_file *known_file_take(const struct known_file *file);
void known_file_drop(struct known_file **file);

struct file_cache *file_cache_new(void);
void file_cache_free(struct file_cache **cache);
/* The header of the file at `path` in the tree; `facts` are its. A reference, never NULL. Reads on
 * the calling thread where nobody has yet. */
struct known_file *file_cache_get(struct file_cache *cache, const struct root *root,
                                  const char *path, const struct root_file_facts *facts);

#endif
