#include "inspect/file_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/thread.h"

enum { FILES_MAX = 128 };

/* What a file is. No padding: compared as bytes. */
struct file_key {
    uint64_t device, inode;
    int64_t size_bytes, modified_ns;
};

struct cache_entry {
    struct file_key key;
    struct known_file *file; /* NULL: free */
    uint64_t used;
};

struct file_cache {
    struct lock *lock;
    uint64_t uses;
    struct cache_entry entries[FILES_MAX];
};

struct known_file *known_file_take(const struct known_file *file)
{
    struct known_file *taken = (struct known_file *)file;
    reference_take(&taken->reference);
    return taken;
}

void known_file_drop(struct known_file **file)
{
    if (*file && reference_drop(&(*file)->reference)) {
        arena_free(&(*file)->arena);
        free(*file);
    }
    *file = NULL;
}

struct file_cache *file_cache_new(void)
{
    struct file_cache *cache = memory_new(sizeof *cache);
    cache->lock = lock_new();
    return cache;
}

void file_cache_free(struct file_cache **cache)
{
    if (!*cache)
        return;
    for (size_t i = 0; i < FILES_MAX; i++)
        known_file_drop(&(*cache)->entries[i].file);
    lock_free(&(*cache)->lock);
    free(*cache);
    *cache = NULL;
}

static struct known_file *find(struct file_cache *cache, const struct file_key *key)
{
    struct known_file *found = NULL;
    lock_enter(cache->lock);
    for (size_t i = 0; i < FILES_MAX && !found; i++) {
        struct cache_entry *entry = &cache->entries[i];
        if (entry->file && memcmp(&entry->key, key, sizeof *key) == 0) {
            entry->used = ++cache->uses;
            found = known_file_take(entry->file);
        }
    }
    lock_leave(cache->lock);
    return found;
}

/* In the place of whatever was not asked for longest. */
static void keep(struct file_cache *cache, const struct file_key *key,
                 const struct known_file *file)
{
    lock_enter(cache->lock);
    struct cache_entry *oldest = &cache->entries[0];
    for (size_t i = 0; i < FILES_MAX; i++)
        if (!cache->entries[i].file || cache->entries[i].used < oldest->used)
            oldest = &cache->entries[i];
    struct known_file *old = oldest->file;
    *oldest = (struct cache_entry){*key, known_file_take(file), ++cache->uses};
    lock_leave(cache->lock);
    known_file_drop(&old);
}

struct known_file *file_cache_get(struct file_cache *cache, const struct root *root,
                                  const char *path, const struct root_file_facts *facts)
{
    struct file_key key;
    memset(&key, 0, sizeof key);
    key.device = facts->device;
    key.inode = facts->inode;
    key.size_bytes = facts->size_bytes;
    key.modified_ns = facts->modified_ns;
    struct known_file *file = find(cache, &key);
    if (file)
        return file;
    file = memory_new(sizeof *file);
    reference_start(&file->reference);
    file->arena = arena_new();
    const struct byte_opener opener = byte_opener_root(root);
    file->is_model = model_file_read(&opener, path, file->arena, &file->file, &file->problem);
    keep(cache, &key, file);
    return file;
}
