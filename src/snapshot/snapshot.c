#include "snapshot/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/thread.h"

enum { POOL_ARENAS = 4 };

/* Shared by its owner and by every snapshot that is out; the last of them frees it. */
struct snapshot_pool {
    struct reference reference;
    struct lock *lock;
    struct arena *idle[POOL_ARENAS];
    size_t idle_count;
    bool closed; /* the owner is gone: nothing will be asked for again */
};

struct snapshot_pool *snapshot_pool_new(void)
{
    struct snapshot_pool *pool = memory_new(sizeof *pool);
    reference_start(&pool->reference);
    pool->lock = lock_new();
    return pool;
}

static void pool_drop(struct snapshot_pool *pool)
{
    if (!reference_drop(&pool->reference)) {
        return;
    }
    for (size_t i = 0; i < pool->idle_count; i++) {
        arena_free(&pool->idle[i]);
    }
    lock_free(&pool->lock);
    free(pool);
}

void snapshot_pool_free(struct snapshot_pool **pool)
{
    if (!*pool) {
        return;
    }
    lock_enter((*pool)->lock);
    (*pool)->closed = true;
    lock_leave((*pool)->lock);
    pool_drop(*pool);
    *pool = NULL;
}

static struct arena *pool_take_arena(struct snapshot_pool *pool)
{
    struct arena *arena = NULL;
    lock_enter(pool->lock);
    if (pool->idle_count > 0) {
        arena = pool->idle[--pool->idle_count];
    }
    lock_leave(pool->lock);
    return arena ? arena : arena_new();
}

static void pool_give_arena(struct snapshot_pool *pool, struct arena *arena)
{
    arena_reset(arena);
    lock_enter(pool->lock);
    if (!pool->closed && pool->idle_count < POOL_ARENAS) {
        pool->idle[pool->idle_count++] = arena;
        arena = NULL;
    }
    lock_leave(pool->lock);
    arena_free(&arena);
}

struct snapshot *snapshot_new(struct snapshot_pool *pool)
{
    struct arena *arena = pool ? pool_take_arena(pool) : arena_new();
    struct snapshot *snapshot = ARENA_NEW(arena, struct snapshot);
    reference_start(&snapshot->reference);
    snapshot->arena = arena;
    snapshot->pool = pool;
    if (pool) {
        reference_take(&pool->reference);
    }
    return snapshot;
}

struct snapshot *snapshot_take(const struct snapshot *snapshot)
{
    /* The count is the one thing of a published snapshot that changes. */
    struct snapshot *shared = (struct snapshot *)(uintptr_t)snapshot;
    reference_take(&shared->reference);
    return shared;
}

void snapshot_drop(struct snapshot **snapshot)
{
    struct snapshot *dropped = *snapshot;
    *snapshot = NULL;
    if (!dropped || !reference_drop(&dropped->reference)) {
        return;
    }
    /* The snapshot itself lives in its arena. */
    struct arena *arena = dropped->arena;
    struct snapshot_pool *pool = dropped->pool;
    if (!pool) {
        arena_free(&arena);
        return;
    }
    pool_give_arena(pool, arena);
    pool_drop(pool);
}

const struct adapter *snapshot_adapter(const struct snapshot *snapshot, struct text id)
{
    for (size_t i = 0; i < snapshot->adapter_count; i++) {
        if (text_equal(snapshot->adapters[i].id, id)) {
            return &snapshot->adapters[i];
        }
    }
    return NULL;
}

const struct adapter *snapshot_adapter_of(const struct snapshot *snapshot,
                                          const struct gpu_use *use)
{
    bool indexed = use->adapter.known && use->adapter.value >= 0 &&
                   (uint64_t)use->adapter.value < snapshot->adapter_count;
    if (indexed && text_equal(snapshot->adapters[use->adapter.value].id, use->adapter_id))
        return &snapshot->adapters[use->adapter.value];
    return snapshot_adapter(snapshot, use->adapter_id);
}

const struct process *snapshot_process(const struct snapshot *snapshot, struct identity identity)
{
    for (size_t i = 0; i < snapshot->process_count; i++) {
        if (identity_equal(snapshot->processes[i].identity, identity)) {
            return &snapshot->processes[i];
        }
    }
    return NULL;
}

bool note_is_about(const struct note *note, const struct process *process)
{
    size_t size = process->label.size;
    return size > 0 && note->text.size > size &&
           memcmp(note->text.utf8, process->label.utf8, size) == 0 &&
           (note->text.utf8[size] == ':' || note->text.utf8[size] == ' ');
}
