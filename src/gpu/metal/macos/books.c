#include "gpu/metal/macos/books.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

/* Where struct task_vm_info has what the ledger calls so. */
static const struct {
    const char *name;
    size_t offset;
} tags[] = {
    {"graphics_footprint", 272},   {"graphics_footprint_compressed", 280},
    {"graphics_nofootprint", 288}, {"graphics_nofootprint_compressed", 296},
    {"neural_footprint", 304},     {"phys_footprint", 144},
};
enum { TAG_COUNT = sizeof tags / sizeof *tags };

static enum metal_status status_of(int error)
{
    switch (error) {
    case EPERM:
    case EACCES:
        return METAL_DENIED;
    case ESRCH:
        return METAL_GONE;
    case ENOSYS:
    case EINVAL:
        return METAL_UNSUPPORTED;
    default:
        return METAL_FAILED;
    }
}

static void use_tags(struct books *books, struct arena *arena, struct metal_ledger_names *names)
{
    struct raw_text *list = ARENA_ARRAY(arena, struct raw_text, TAG_COUNT);
    for (size_t i = 0; i < TAG_COUNT; i++)
        list[i] = raw_from_string(tags[i].name);
    books->by_task = true;
    *names = (struct metal_ledger_names){.status = METAL_OK, .names = list, .count = TAG_COUNT};
}

static void keep_names(struct arena *arena, const struct ledger_template *templates, size_t count,
                       struct metal_ledger_names *names)
{
    struct raw_text *list = ARENA_ARRAY(arena, struct raw_text, count);
    for (size_t i = 0; i < count; i++) {
        const char *name = templates[i].name, *end = memchr(name, '\0', sizeof templates[i].name);
        size_t length = end ? (size_t)(end - name) : sizeof templates[i].name;
        list[i] = (struct raw_text){arena_string(arena, name, length), length};
    }
    *names = (struct metal_ledger_names){.status = METAL_OK, .names = list, .count = count};
}

void books_names(struct books *books, struct arena *arena, struct metal_ledger_names *names)
{
    struct ledger_template *templates = memory_new(METAL_LEDGER_ENTRIES_MAX * sizeof *templates);
    int32_t count = METAL_LEDGER_ENTRIES_MAX;
    books->by_task = false;
    if (books->calls->ledger(LEDGER_TEMPLATE_INFO, templates, &count, NULL) == 0 && count > 0 &&
        count <= METAL_LEDGER_ENTRIES_MAX)
        keep_names(arena, templates, (size_t)count, names);
    else
        use_tags(books, arena, names);
    free(templates);
}

/* The kernel writes as many entries as there is room for and lowers the count to what there is. */
static void read_ledger(const struct books *books, int pid, size_t count,
                        struct metal_ledger *ledger)
{
    struct ledger_entry entries[METAL_LEDGER_ENTRIES_MAX];
    int32_t room = (int32_t)(count < METAL_LEDGER_ENTRIES_MAX ? count : METAL_LEDGER_ENTRIES_MAX);
    int32_t filled = room;
    int error = books->calls->ledger(LEDGER_ENTRY_INFO, (void *)(intptr_t)pid, entries, &filled);
    ledger->status = error ? status_of(error) : METAL_OK;
    for (int32_t i = 0; !error && i < filled && i < room; i++)
        ledger->balances[ledger->count++] = entries[i].balance;
}

static void read_task(const struct books *books, int pid, size_t count, struct metal_ledger *ledger)
{
    _Alignas(int64_t) char info[TASK_BYTES] = {0};
    size_t filled = books->calls->task(pid, info);
    ledger->status = filled == 0                    ? METAL_DENIED
                     : filled < TASK_COMPLETE_BYTES ? METAL_UNSUPPORTED
                                                    : METAL_OK;
    for (size_t i = 0; ledger->status == METAL_OK && i < TAG_COUNT && i < count; i++) {
        memcpy(&ledger->balances[i], info + tags[i].offset, sizeof(int64_t));
        ledger->count++;
    }
}

void books_read(const struct books *books, int64_t pid, size_t count, struct metal_ledger *ledger)
{
    ledger->status = METAL_GONE;
    ledger->count = 0;
    if (pid < 0 || pid > INT32_MAX)
        return;
    if (books->by_task)
        read_task(books, (int)pid, count, ledger);
    else
        read_ledger(books, (int)pid, count, ledger);
}
