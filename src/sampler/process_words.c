#include "sampler/process_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/map.h"
#include "inspect/command.h"

struct words {
    uint64_t step;
    uint64_t hash; /* of what was read of the process */
    struct classify_memory class_memory;
    struct text_list command; /* the items and their bytes are one block */
    size_t block_size;
    char id[IDENTITY_ID_SIZE], label[IDENTITY_ID_SIZE];
};

struct process_words {
    struct map *processes; /* struct identity -> struct words */
    struct arena *scratch;
    uint64_t step;
};

struct process_words *process_words_new(void)
{
    struct process_words *words = memory_new(sizeof *words);
    words->processes = map_new(sizeof(struct identity), sizeof(struct words));
    words->scratch = arena_new();
    return words;
}

static bool is_forgotten(const void *key, void *value, void *context)
{
    (void)key;
    struct words *words = value;
    const uint64_t *step = context;
    if (step && words->step == *step)
        return false;
    free((void *)(uintptr_t)words->command.items);
    return true;
}

void process_words_free(struct process_words **words)
{
    if (!*words)
        return;
    map_remove_if((*words)->processes, is_forgotten, NULL);
    map_free(&(*words)->processes);
    arena_free(&(*words)->scratch);
    free(*words);
    *words = NULL;
}

void process_words_begin(struct process_words *words)
{
    map_remove_if(words->processes, is_forgotten, &words->step);
    words->step++;
}

/* FNV-1a over the length and the bytes. */
static uint64_t hash_on(uint64_t hash, struct raw_text raw)
{
    const uint64_t prime = UINT64_C(1099511628211);
    hash = (hash ^ raw.length) * prime;
    for (size_t i = 0; i < raw.length; i++)
        hash = (hash ^ (unsigned char)raw.bytes[i]) * prime;
    return hash;
}

static uint64_t hash_of(const struct process_reading *process)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    hash = hash_on(hash, process->name);
    hash = hash_on(hash, process->executable);
    return hash_on(hash ^ (process->command.bytes != NULL), process->command);
}

/* The items and the bytes of a list in one block of memory that begins with the items. */
static void write_block(const struct text_list *list, char *block)
{
    struct text *items = (struct text *)(void *)block;
    char *bytes = block + list->count * sizeof *items;
    for (size_t i = 0; i < list->count; i++) {
        size_t size = list->items[i].size;
        items[i] = (struct text){list->items[i].utf8 ? bytes : NULL, size};
        if (size > 0)
            memcpy(bytes, list->items[i].utf8, size);
        bytes[size] = '\0';
        bytes += size + 1;
    }
}

static void keep_command(struct process_words *words, struct words *kept, struct raw_text command)
{
    arena_reset(words->scratch);
    struct text_list list = command_redact(words->scratch, command);
    size_t size = list.count * sizeof *list.items;
    for (size_t i = 0; i < list.count; i++)
        size += list.items[i].size + 1;
    free((void *)(uintptr_t)kept->command.items);
    kept->command = list;
    kept->block_size = size;
    kept->command.items = NULL;
    if (size > 0) {
        char *block = memory_new(size);
        write_block(&list, block);
        kept->command.items = (struct text *)(void *)block;
    }
}

static struct text_list copy_command(const struct words *kept, struct arena *arena)
{
    struct text_list copy = kept->command;
    if (kept->block_size > 0) {
        char *block = arena_alloc(arena, kept->block_size);
        write_block(&kept->command, block);
        copy.items = (struct text *)(void *)block;
    }
    return copy;
}

struct classify_memory *process_words_of(struct process_words *words, struct arena *arena,
                                         struct identity identity,
                                         const struct process_reading *process, struct text *id,
                                         struct text *label, struct text_list *redacted)
{
    static const struct process_reading nothing = {.parent_pid = 0};
    bool added;
    struct words *kept = map_put(words->processes, &identity, &added);
    const struct process_reading *seen = process ? process : &nothing;
    uint64_t hash = hash_of(seen);
    kept->step = words->step;
    if (added) {
        identity_format(identity, kept->id);
        identity_label(identity, kept->label);
    }
    if (added || kept->hash != hash) {
        keep_command(words, kept, seen->command);
        kept->class_memory = (struct classify_memory){.known = false};
        kept->hash = hash;
    }
    *id = text_from_raw(arena, raw_from_string(kept->id));
    *label = text_from_raw(arena, raw_from_string(kept->label));
    *redacted = copy_command(kept, arena);
    return &kept->class_memory;
}
