#include "os/linux/fd_walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/vector.h"
#include "os/linux/device_table.h"
#include "os/linux/proc_door.h"
#include "os/linux/walk_book.h"

enum {
    YOUNG_WALKS = 3, /* a process is looked at in each of its first refreshes */
    BLIND_WALKS = 4, /* a look holds for so many where descriptors cannot be counted */
    TURNS_MAX = 160, /* 16 s at the shortest interval */
    TURNS_SPARE = 1, /* refreshes come late now and then */
};

#define LOOK_LIFE_NS INT64_C(16000000000)
#define LISTING_BUDGET_NS INT64_C(50000000)

/* Why a process is looked at in this walk; the lower ones first, since the time is bounded. */
enum urgency { URGENCY_HOLDER, URGENCY_UNPROVEN, URGENCY_YOUNG, URGENCY_TURN, URGENCY_NONE };

struct candidate {
    struct walk_book *book;
    int64_t looked_at_ns;
};

struct fd_walk {
    struct proc_door *door;
    struct device_table *table;
    struct proc_look look;
    struct walk_books books;
    struct {
        struct candidate *items;
        size_t count, capacity;
    } candidates;
    uint32_t walks; /* completed ones: the number of this one */
    uint64_t generation;
    bool timely;
};

/* What holds for one walk. */
struct walk_rules {
    const struct pass *pass;
    bool all; /* look at every process */
    bool can_count;
    uint32_t turns; /* every process has its turn once in so many walks */
    enum proc_stamp stamp;
    int64_t until_ns; /* of the listing budget; INT64_MAX: none */
};

struct fd_walk *fd_walk_new(void)
{
    struct fd_walk *walk = memory_new(sizeof *walk);
    walk->door = proc_door_new();
    walk->table = device_table_new();
    return walk;
}

void fd_walk_free(struct fd_walk **walk)
{
    if (!*walk)
        return;
    walk_books_free(&(*walk)->books);
    VECTOR_FREE(&(*walk)->candidates);
    free((*walk)->look.files);
    device_table_free(&(*walk)->table);
    proc_door_free(&(*walk)->door);
    free(*walk);
    *walk = NULL;
}

void fd_walk_be_timely(struct fd_walk *walk, bool timely)
{
    walk->timely = timely;
}

bool fd_walk_takes_all(const struct walk_situation *situation)
{
    return situation->first || situation->one_shot || situation->recorded ||
           situation->interval_ns >= LOOK_LIFE_NS || (situation->timely && !situation->can_count);
}

static struct walk_rules rules_of(const struct fd_walk *walk, const struct root *root,
                                  const struct pass *pass)
{
    struct walk_rules rules = {.pass = pass, .can_count = proc_door_can_count(walk->door)};
    bool recorded = root_is_recorded(root), first = walk->walks == 0;
    rules.all = fd_walk_takes_all(&(struct walk_situation){.first = first,
                                                           .recorded = recorded,
                                                           .can_count = rules.can_count,
                                                           .timely = walk->timely,
                                                           .one_shot = pass->one_shot,
                                                           .interval_ns = pass->interval_ns});
    int64_t turns = pass->interval_ns > 0 ? LOOK_LIFE_NS / pass->interval_ns : TURNS_MAX;
    if (turns > TURNS_SPARE)
        turns -= TURNS_SPARE;
    if (turns > TURNS_MAX)
        turns = TURNS_MAX;
    /* Without the number of descriptors nothing older is clear: later turns would prove nothing. */
    if (!rules.can_count && turns > BLIND_WALKS)
        turns = BLIND_WALKS;
    rules.turns = turns < 1 ? 1 : (uint32_t)turns;
    /* The first look at everything is the dear one. There the stamp is read where it is used; a
     * folder's inode tells processes apart just as well. (Recorded kernel threads may have
     * descriptors, and time does not matter.) */
    rules.stamp = (first || pass->one_shot) && !recorded ? PROC_STAMP_IF_NEEDED : PROC_STAMP_ALWAYS;
    rules.until_ns = first || pass->one_shot || recorded
                         ? INT64_MAX
                         : proc_door_clock_ns(walk->door) + LISTING_BUDGET_NS;
    return rules;
}

static bool is_fresh(const struct walk_book *book, const struct fd_walk *walk,
                     const struct walk_rules *rules, int64_t now_ns)
{
    int64_t age_ns = now_ns - book->looked_at_ns;
    if (!book->looked || age_ns < 0 || age_ns > LOOK_LIFE_NS)
        return false;
    return rules->can_count || walk->walks - book->looked_walk <= BLIND_WALKS;
}

/* The urgency that is known without asking the kernel. */
static enum urgency urgency_of(const struct walk_book *book, const struct fd_walk *walk,
                               const struct walk_rules *rules)
{
    int64_t now_ns = rules->pass->running_ns;
    if ((book->kind == BOOK_KERNEL || book->kind == BOOK_ZOMBIE) && !book->renewed)
        return URGENCY_NONE; /* never looked at again */
    if (book->file_count > 0)
        return URGENCY_HOLDER;
    if (!book->looked || book->renewed || book->changed || book->incomplete ||
        !is_fresh(book, walk, rules, now_ns))
        return URGENCY_UNPROVEN;
    if (rules->all || walk->walks - book->first_walk < YOUNG_WALKS)
        return URGENCY_YOUNG;
    /* It would be too old by the next refresh. */
    if (!is_fresh(book, walk, rules, now_ns + rules->pass->interval_ns))
        return URGENCY_TURN;
    return URGENCY_NONE;
}

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *left = a, *right = b;
    if (left->book->urgency != right->book->urgency)
        return left->book->urgency < right->book->urgency ? -1 : 1;
    if (left->looked_at_ns != right->looked_at_ns)
        return left->looked_at_ns < right->looked_at_ns ? -1 : 1;
    return (left->book->pid > right->book->pid) - (left->book->pid < right->book->pid);
}

/* Is what the last look found still so? One question to the kernel, where it can answer. */
static void check_count(struct fd_walk *walk, struct walk_book *book,
                        const struct walk_rules *rules)
{
    int64_t count;
    book->clear = !book->refused;
    if (!rules->can_count || book->refused)
        return;
    switch (proc_door_count(walk->door, book->pid, &count)) {
    case PROC_OK:
        book->changed = count != book->descriptor_count;
        break;
    case PROC_GONE:
        book->gone = true;
        break;
    case PROC_REFUSED:
    case PROC_FAILED:
        book->changed = true;
        break;
    }
    book->clear = !book->changed && !book->gone;
    if (book->changed)
        book->urgency = URGENCY_UNPROVEN;
}

static uint32_t age_in_walks(const struct walk_book *book, const struct fd_walk *walk)
{
    uint32_t age = walk->walks - book->looked_walk;
    return age < TURNS_MAX ? age : TURNS_MAX;
}

static bool has_turns(const struct walk_book *book)
{
    return book->kind == BOOK_USER && book->urgency == URGENCY_NONE && !book->gone;
}

/* Gives a turn to those whose last look is longest ago: so many that everybody had one before looks
 * grow too old. */
static void give_turns(struct fd_walk *walk, const struct walk_rules *rules)
{
    size_t by_age[TURNS_MAX + 1] = {0}, waiting = 0;
    for (size_t i = 0; i < walk->books.count; i++)
        if (has_turns(&walk->books.items[i])) {
            by_age[age_in_walks(&walk->books.items[i], walk)]++;
            waiting++;
        }
    size_t turns = (waiting + rules->turns - 1) / rules->turns, older = 0;
    uint32_t age = TURNS_MAX;
    while (age > 0 && older + by_age[age] < turns)
        older += by_age[age--];
    size_t of_this_age = turns - older;
    for (size_t i = 0; i < walk->books.count; i++) {
        struct walk_book *book = &walk->books.items[i];
        if (!has_turns(book) || age_in_walks(book, walk) < age)
            continue;
        if (age_in_walks(book, walk) == age) {
            if (of_this_age == 0)
                continue;
            of_this_age--;
        }
        book->urgency = URGENCY_TURN;
    }
}

static void choose(struct fd_walk *walk, const struct walk_rules *rules)
{
    bool bounded = rules->until_ns != INT64_MAX;
    for (size_t i = 0; i < walk->books.count; i++) {
        struct walk_book *book = &walk->books.items[i];
        book->urgency = (uint8_t)urgency_of(book, walk, rules);
        if (bounded && book->kind == BOOK_USER && book->urgency >= URGENCY_YOUNG)
            check_count(walk, book, rules);
    }
    if (bounded)
        give_turns(walk, rules);
    walk->candidates.count = 0;
    for (size_t i = 0; i < walk->books.count; i++) {
        struct walk_book *book = &walk->books.items[i];
        if (book->urgency != URGENCY_NONE && !book->gone)
            VECTOR_PUSH(&walk->candidates,
                        ((struct candidate){book, book->looked ? book->looked_at_ns : INT64_MIN}));
    }
    /* Without a budget the order does not matter. */
    if (bounded && walk->candidates.count > 0)
        qsort(walk->candidates.items, walk->candidates.count, sizeof *walk->candidates.items,
              compare_candidates);
}

static void look_at(struct fd_walk *walk, struct walk_book *book, const struct walk_rules *rules)
{
    struct proc_look *look = &walk->look;
    enum proc_access access =
        proc_door_look(walk->door, walk->table, book->pid, rules->stamp, look);
    if (access == PROC_GONE) {
        book->gone = true;
        return;
    }
    if (access != PROC_OK || look->table == PROC_FAILED) {
        /* Nothing was learnt; what is known stays, and it is not looked at. */
        if (book->kind == BOOK_UNKNOWN)
            book->kind = BOOK_USER;
        book->incomplete = true;
        return;
    }
    bool other = book->has_stamp && look->has_stat && book->start_stamp != look->start_stamp;
    if (other || (book->renewed && !(book->has_stamp && look->has_stat)))
        book->first_walk = walk->walks;
    book->renewed = book->changed = false;
    book->has_stamp = look->has_stat;
    book->start_stamp = look->start_stamp;
    book->kind = BOOK_USER;
    if (look->has_stat && look->is_kernel_thread)
        book->kind = BOOK_KERNEL;
    else if (look->has_stat && look->is_zombie)
        book->kind = BOOK_ZOMBIE;
    book->refused = look->table == PROC_REFUSED;
    book->incomplete = look->incomplete;
    book->descriptor_count =
        look->descriptor_count > INT32_MAX ? INT32_MAX : (int32_t)look->descriptor_count;
    book->looked = true;
    book->looked_walk = walk->walks;
    book->looked_at_ns = rules->pass->running_ns;
    walk_book_keep_files(book, look->files, look->file_count);
}

static void look_at_candidates(struct fd_walk *walk, const struct walk_rules *rules)
{
    for (size_t i = 0; i < walk->candidates.count; i++) {
        if (rules->until_ns != INT64_MAX && proc_door_clock_ns(walk->door) >= rules->until_ns)
            return; /* whoever is left and is not clear makes the scan a partial one */
        look_at(walk, walk->candidates.items[i].book, rules);
    }
}

static bool in_this_walk(const struct walk_book *book, const struct fd_walk *walk)
{
    return book->looked && book->looked_walk == walk->walks;
}

static struct walked_process describe(const struct walk_book *book, const struct fd_walk *walk,
                                      struct arena *arena)
{
    struct walked_process process = {
        .identity = identity_make(NAMESPACE_LOCAL, book->pid,
                                  book->has_stamp ? book->start_stamp : IDENTITY_NO_STAMP),
        .access = in_this_walk(book, walk) ? WALK_LISTED : WALK_SKIPPED,
        .incomplete = book->incomplete,
        .clear = book->clear,
        .looked_at_ns = book->looked ? book->looked_at_ns : 0,
        .descriptor_count = book->looked && !book->refused ? book->descriptor_count : -1,
    };
    if (book->refused)
        process.access = WALK_REFUSED;
    if (book->file_count > 0) {
        struct device_file *files = ARENA_ARRAY(arena, struct device_file, book->file_count);
        memcpy(files, book->files, book->file_count * sizeof *files);
        process.device_files = files;
        process.device_file_count = book->file_count;
    }
    return process;
}

static void account(const struct fd_walk *walk, struct arena *arena, struct walk_reading *result)
{
    size_t listed = 0;
    for (size_t i = 0; i < walk->books.count; i++)
        listed += walk->books.items[i].file_count > 0 || walk->books.items[i].refused;
    struct walked_process *processes = ARENA_ARRAY(arena, struct walked_process, listed);

    for (size_t i = 0; i < walk->books.count; i++) {
        const struct walk_book *book = &walk->books.items[i];
        if (book->gone || (book->kind != BOOK_USER && book->kind != BOOK_UNKNOWN))
            continue;
        bool now = in_this_walk(book, walk);
        result->scanned++;
        result->unreadable += book->refused;
        result->looked_at += now;
        if (!book->refused && (now || book->clear)) {
            if (book->looked_at_ns < result->oldest_look_ns)
                result->oldest_look_ns = book->looked_at_ns;
        }
        if (!book->refused && ((!now && !book->clear) || book->incomplete))
            result->complete = false;
        if (book->file_count > 0 || book->refused)
            processes[result->process_count++] = describe(book, walk, arena);
    }
    result->skipped = result->scanned - result->looked_at;
    result->processes = processes;
}

void fd_walk_run(struct fd_walk *walk, const struct root *root, const struct pass *pass,
                 struct arena *arena, struct walk_reading *result)
{
    const struct proc_entry *entries;
    size_t count;

    *result = (struct walk_reading){.ran = true, .oldest_look_ns = INT64_MAX};
    if (!proc_door_begin(walk->door, root))
        return;
    device_table_begin(walk->table, root, pass->running_ns);
    struct walk_rules rules = rules_of(walk, root, pass);
    result->complete = proc_door_list(walk->door, &entries, &count);
    walk_books_merge(&walk->books, entries, count, walk->walks);
    choose(walk, &rules);
    look_at_candidates(walk, &rules);
    account(walk, arena, result);
    walk_books_drop_gone(&walk->books);
    walk->walks++;
}
