/* Expected values: SPEC section 5, "When looks are skipped". A made-up /proc takes the place of the
 * door: every function of proc_door.h is defined here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/vector.h"
#include "os/linux/fd_walk.h"
#include "os/linux/proc_door.h"
#include "os/root.h"
#include "tree.h"

enum { WORLD_MAX = 400, SECOND = 1000000000 };

#define LIFE_NS (INT64_C(16) * SECOND)

/* One process of the made-up machine, and what the test itself noted about it. */
struct made {
    bool alive;
    struct proc_entry entry;
    uint64_t stamp;
    int64_t count;
    size_t gpu_files;
    bool refused, kernel, zombie, failing, dies_at_look;

    int first_walk, looks_in_walk, looks, last_look_walk;
    int64_t last_look_ns, count_at_look;
    uint64_t inode_at_look;
    size_t files_at_look;
    bool refused_at_look, changed_since_look;
};

static struct {
    struct made processes[WORLD_MAX];
    size_t size; /* slots in use; ascending by pid */
    struct proc_entry listed[WORLD_MAX];
    bool can_count, list_fails;
    int64_t clock_ns, look_cost_ns;
    int walk, counts_asked, looks;
    int64_t now_ns;
    uint64_t next_inode;
} world;

struct proc_door {
    int unused;
};

struct proc_door *proc_door_new(void)
{
    return memory_new(sizeof(struct proc_door));
}

void proc_door_free(struct proc_door **door)
{
    free(*door);
    *door = NULL;
}

bool proc_door_begin(struct proc_door *door, const struct root *root)
{
    (void)door;
    (void)root;
    return true;
}

bool proc_door_can_count(const struct proc_door *door)
{
    (void)door;
    return world.can_count;
}

int64_t proc_door_clock_ns(const struct proc_door *door)
{
    (void)door;
    return world.clock_ns;
}

bool proc_door_list(struct proc_door *door, const struct proc_entry **entries, size_t *count)
{
    (void)door;
    *count = 0;
    for (size_t i = 0; i < world.size; i++)
        if (world.processes[i].alive)
            world.listed[(*count)++] = world.processes[i].entry;
    *entries = world.listed;
    return !world.list_fails;
}

static struct made *find(int32_t pid)
{
    for (size_t i = 0; i < world.size; i++)
        if (world.processes[i].entry.pid == pid && world.processes[i].alive)
            return &world.processes[i];
    return NULL;
}

enum proc_access proc_door_count(struct proc_door *door, int32_t pid, int64_t *count)
{
    (void)door;
    world.counts_asked++;
    const struct made *made = find(pid);
    if (!made)
        return PROC_GONE;
    *count = made->count;
    return PROC_OK;
}

enum proc_access proc_door_look(struct proc_door *door, struct device_table *table, int32_t pid,
                                enum proc_stamp stamp, struct proc_look *look)
{
    (void)door;
    (void)table;
    (void)stamp;
    world.clock_ns += world.look_cost_ns;
    world.looks++;
    struct made *made = find(pid);
    *look = (struct proc_look){.files = look->files, .file_capacity = look->file_capacity};
    if (!made)
        return PROC_GONE;
    made->looks_in_walk++;
    if (made->dies_at_look) {
        made->alive = false;
        return PROC_GONE;
    }
    if (made->failing) {
        look->table = PROC_FAILED;
        return PROC_OK;
    }
    made->looks++;
    made->last_look_walk = world.walk;
    made->last_look_ns = world.now_ns;
    made->count_at_look = made->count;
    made->inode_at_look = made->entry.inode;
    made->refused_at_look = made->refused;
    made->files_at_look = made->refused ? 0 : made->gpu_files;
    made->changed_since_look = false;
    look->has_stat = true;
    look->start_stamp = made->stamp;
    look->is_kernel_thread = made->kernel;
    look->is_zombie = made->zombie;
    look->table = made->refused ? PROC_REFUSED : PROC_OK;
    if (made->refused)
        return PROC_OK;
    look->descriptor_count = made->count;
    look->files =
        vector_reserve(look->files, &look->file_capacity, made->gpu_files + 1, sizeof *look->files);
    for (size_t i = 0; i < made->gpu_files; i++)
        look->files[look->file_count++] =
            (struct device_file){.fd = (int32_t)i, .class = DEVICE_DRM_RENDER};
    return PROC_OK;
}

/* ---- the test's machine ---- */

static struct fd_walk *walk;
static struct root *root;
static struct arena *arena;
static struct walk_reading result;
static char top[TREE_PATH_SIZE];

static struct made *add(int32_t pid)
{
    struct made *made = &world.processes[world.size++];
    *made = (struct made){.alive = true,
                          .entry = {.inode = ++world.next_inode, .pid = pid},
                          .stamp = 1000 + world.next_inode,
                          .count = 20,
                          .first_walk = -1};
    return made;
}

static void run(int64_t interval_ns, bool one_shot)
{
    struct pass pass = {.number = (uint64_t)world.walk,
                        .running_ns = world.now_ns,
                        .interval_ns = interval_ns,
                        .one_shot = one_shot};
    world.looks = world.counts_asked = 0;
    for (size_t i = 0; i < world.size; i++) {
        struct made *made = &world.processes[i];
        made->looks_in_walk = 0;
        if (made->alive && made->first_walk < 0)
            made->first_walk = world.walk;
        if (made->count != made->count_at_look || made->entry.inode != made->inode_at_look)
            made->changed_since_look = true;
    }
    arena_reset(arena);
    fd_walk_run(walk, root, &pass, arena, &result);
}

static void next(int64_t interval_ns)
{
    world.walk++;
    world.now_ns += interval_ns;
}

static int setup(void **state)
{
    (void)state;
    memset(&world, 0, sizeof world);
    world.can_count = true;
    world.now_ns = INT64_C(100) * SECOND;
    arena = arena_new();
    root = root_open("/");
    walk = fd_walk_new();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    fd_walk_free(&walk);
    root_close(&root);
    arena_free(&arena);
    return 0;
}

static const struct walked_process *walked(int32_t pid)
{
    for (size_t i = 0; i < result.process_count; i++)
        if (result.processes[i].identity.pid == pid)
            return &result.processes[i];
    return NULL;
}

/* ---- single rules ---- */

static void test_first_three(void **state)
{
    (void)state;
    for (int32_t pid = 10; pid < 42; pid++)
        add(pid);
    add(50)->gpu_files = 2;
    for (int i = 0; i < 3; i++) {
        run(SECOND, false);
        assert_int_equal(world.looks, 33);
        assert_true(result.complete);
        assert_int_equal(result.looked_at, 33);
        next(SECOND);
    }
    run(SECOND, false);
    /* the holder, and 32 others in 15 turns */
    assert_int_equal(world.looks, 1 + 3);
    assert_int_equal(world.counts_asked, 32);
    assert_true(result.complete);
    assert_int_equal(result.skipped, 29);
    assert_int_equal(result.process_count, 1);
    assert_int_equal(walked(50)->device_file_count, 2);
    assert_int_equal(walked(50)->access, WALK_LISTED);
    assert_int_equal(walked(50)->looked_at_ns, world.now_ns);
    assert_int_equal(walked(50)->identity.start_stamp, 1033);
    assert_int_equal(result.oldest_look_ns, world.now_ns - SECOND);
    add(60);
    for (int i = 0; i < 3; i++) {
        next(SECOND);
        run(SECOND, false);
        assert_int_equal(find(60)->looks_in_walk, 1);
    }
}

static void test_changes(void **state)
{
    (void)state;
    for (int32_t pid = 10; pid < 42; pid++)
        add(pid);
    for (int i = 0; i < 4; i++) {
        run(SECOND, false);
        next(SECOND);
    }
    find(20)->count++;
    find(20)->gpu_files = 1;
    find(21)->entry.inode = 999;
    run(SECOND, false);
    assert_int_equal(find(20)->looks_in_walk, 1);
    assert_int_equal(find(21)->looks_in_walk, 1);
    assert_int_equal(walked(20)->device_file_count, 1);
    assert_true(result.complete);
    next(SECOND);
    find(20)->gpu_files = 0; /* closed: a holder is looked at although its count is the same */
    run(SECOND, false);
    assert_null(walked(20));
}

static void test_one_shot_and_long_interval(void **state)
{
    (void)state;
    for (int32_t pid = 10; pid < 42; pid++)
        add(pid);
    for (int i = 0; i < 5; i++) {
        run(SECOND, true);
        assert_int_equal(world.looks, 32);
        assert_int_equal(result.oldest_look_ns, world.now_ns);
        next(SECOND);
    }
    for (int i = 0; i < 3; i++) {
        run(16 * (int64_t)SECOND, false);
        assert_int_equal(world.looks, 32);
        next(16 * (int64_t)SECOND);
    }
}

static void test_not_counted(void **state)
{
    (void)state;
    add(1);
    add(2)->kernel = true;
    add(3)->zombie = true;
    struct made *refused = add(4);
    refused->refused = true;
    for (int i = 0; i < 6; i++) {
        run(SECOND, false);
        assert_int_equal(result.scanned, 2);
        assert_int_equal(result.unreadable, 1);
        assert_true(result.complete); /* what is refused is not visible */
        assert_int_equal(walked(4)->access, WALK_REFUSED);
        assert_int_equal(walked(4)->descriptor_count, -1);
        next(SECOND);
    }
    assert_int_equal(find(2)->looks, 1);
    assert_int_equal(find(3)->looks, 1);
    assert_true(refused->looks <= 4);
    /* The pid of the zombie is used again. */
    find(3)->entry.inode = 77;
    find(3)->stamp = 7777;
    find(3)->zombie = false;
    run(SECOND, false);
    assert_int_equal(result.scanned, 3);
}

static void test_zombie_later(void **state)
{
    (void)state;
    add(1);
    add(2)->gpu_files = 1;
    for (int i = 0; i < 5; i++) {
        run(SECOND, false);
        next(SECOND);
    }
    find(1)->zombie = find(2)->zombie = true;
    find(1)->count = find(2)->count = 0;
    find(2)->gpu_files = 0;
    run(SECOND, false);
    assert_int_equal(result.scanned, 0);
    assert_int_equal(result.process_count, 0);
}

static void test_failures(void **state)
{
    (void)state;
    add(1);
    add(2)->failing = true; /* our descriptors ran out */
    run(SECOND, false);
    assert_false(result.complete);
    assert_int_equal(result.scanned, 2);
    assert_int_equal(result.looked_at, 1);
    find(2)->failing = false;
    next(SECOND);
    run(SECOND, false);
    assert_true(result.complete);
    add(3)->dies_at_look = true;
    next(SECOND);
    run(SECOND, false);
    assert_true(result.complete);
    assert_int_equal(result.scanned, 2);
    world.list_fails = true;
    next(SECOND);
    run(SECOND, false);
    assert_false(result.complete);
}

/* 50 ms a refresh, but for the first. Holders come first, then what is unproven. */
static void test_budget(void **state)
{
    (void)state;
    for (int32_t pid = 10; pid < 40; pid++)
        add(pid);
    add(50)->gpu_files = 1;
    world.look_cost_ns = 10000000;
    run(SECOND, false);
    assert_int_equal(world.looks, 31);
    assert_true(result.complete);
    next(SECOND);
    run(SECOND, false);
    assert_int_equal(world.looks, 5);
    assert_true(result.complete); /* the others are clear */
    assert_int_equal(find(50)->looks_in_walk, 1);
    next(SECOND);
    for (int32_t pid = 10; pid < 20; pid++)
        find(pid)->count++;
    run(SECOND, false);
    assert_int_equal(world.looks, 5);
    assert_false(result.complete); /* 6 changed ones were not looked at */
    assert_int_equal(find(50)->looks_in_walk, 1);
    for (int32_t pid = 10; pid < 20; pid++)
        if (find(pid)->looks_in_walk == 0)
            find(pid)->count = 20; /* back again: the change was seen and is not forgotten */
    next(SECOND);
    run(SECOND, false);
    assert_false(result.complete);
    next(SECOND);
    run(SECOND, false);
    assert_true(result.complete);
    /* One-shot output has no budget. */
    next(SECOND);
    run(SECOND, true);
    assert_int_equal(world.looks, 31);
}

static void test_holder_without_time(void **state)
{
    (void)state;
    for (int32_t pid = 10; pid < 20; pid++)
        add(pid)->gpu_files = 1;
    world.look_cost_ns = 10000000;
    run(SECOND, false);
    next(SECOND);
    run(SECOND, false);
    assert_int_equal(world.looks, 5);
    assert_false(result.complete);
    assert_int_equal(result.process_count, 10);
    int skipped = 0;
    for (size_t i = 0; i < result.process_count; i++) {
        skipped += result.processes[i].access == WALK_SKIPPED;
        assert_int_equal(result.processes[i].device_file_count, 1);
        assert_false(result.processes[i].clear);
    }
    assert_int_equal(skipped, 5);
    next(SECOND);
    run(SECOND, false); /* those that waited come first */
    for (size_t i = 0; i < result.process_count; i++)
        assert_true(result.processes[i].looked_at_ns >= world.now_ns - SECOND);
}

/* Before Linux 6.2 a look holds for four refreshes. */
static void test_blind(void **state)
{
    (void)state;
    world.can_count = false;
    for (int32_t pid = 10; pid < 50; pid++)
        add(pid);
    for (int i = 0; i < 30; i++) {
        run(SECOND, false);
        assert_int_equal(world.counts_asked, 0);
        assert_true(result.complete);
        assert_true(result.oldest_look_ns >= world.now_ns - 4 * (int64_t)SECOND);
        if (i > 8)
            assert_true(world.looks <= 14);
        next(SECOND);
    }
}

static void test_recorded(void **state)
{
    (void)state;
    tree_new(top);
    struct root *recorded = root_open(top);
    struct root *real = root;
    root = recorded;
    for (int32_t pid = 10; pid < 50; pid++)
        add(pid);
    world.look_cost_ns = SECOND;
    world.can_count = false;
    for (int i = 0; i < 6; i++) {
        run(SECOND, false);
        assert_int_equal(world.looks, 40);
        assert_true(result.complete);
        next(SECOND);
    }
    root_close(&recorded);
    root = real;
    tree_remove(top);
}

/* A refresh that comes after a long pause relies on nothing old. */
static void test_pause(void **state)
{
    (void)state;
    for (int32_t pid = 10; pid < 50; pid++)
        add(pid);
    for (int i = 0; i < 5; i++) {
        run(SECOND, false);
        next(SECOND);
    }
    next(100 * (int64_t)SECOND);
    run(SECOND, false);
    assert_int_equal(world.looks, 40);
    assert_true(result.complete);
}

/* ---- properties over random histories ---- */

static uint32_t seed;

static uint32_t roll(uint32_t sides)
{
    seed = seed * UINT32_C(1664525) + UINT32_C(1013904223);
    return (seed >> 8) % sides;
}

static void reuse(struct made *made)
{
    made->alive = true;
    made->entry.inode = ++world.next_inode;
    made->stamp = 5000 + world.next_inode;
    made->count = 5 + roll(40);
    made->gpu_files = roll(6) == 0;
    made->refused = roll(8) == 0;
    made->kernel = made->zombie = false;
    made->first_walk = -1;
    made->looks = 0;
    made->last_look_walk = -1;
}

static void mutate(struct made *made)
{
    switch (roll(60)) {
    case 0:
        made->alive = !made->alive;
        if (made->alive)
            reuse(made);
        break;
    case 1:
        reuse(made);
        break;
    case 2:
    case 3:
        made->count += 1 + roll(3);
        break;
    case 4:
        made->count++;
        made->gpu_files++;
        break;
    case 5:
        if (made->gpu_files > 0) {
            made->gpu_files--;
            made->count--;
        }
        break;
    case 6: /* closes one, opens another: the count hides it */
        made->gpu_files = !made->gpu_files;
        break;
    case 7: /* the kernel forgot the folder */
        made->entry.inode = ++world.next_inode;
        break;
    default:
        break;
    }
}

/* By the test's own notes: may this process be relied on without a look in this refresh? */
static bool is_clear(const struct made *made)
{
    return made->looks > 0 && !made->refused_at_look && made->files_at_look == 0 &&
           !made->changed_since_look && world.now_ns - made->last_look_ns <= LIFE_NS;
}

static void check_walk(const bool must[WORLD_MAX])
{
    bool complete = true;
    int64_t scanned = 0, unreadable = 0, oldest = INT64_MAX;
    size_t listed = 0;
    for (size_t i = 0; i < world.size; i++) {
        const struct made *made = &world.processes[i];
        if (!made->alive || made->kernel)
            continue;
        scanned++;
        bool now = made->looks_in_walk > 0;
        assert_true(made->looks_in_walk <= 1);
        if (must[i] && !now)
            fail_msg("pid %d was not looked at in walk %d", made->entry.pid, world.walk);
        unreadable += made->refused_at_look;
        listed += made->refused_at_look || made->files_at_look > 0;
        if (made->looks > 0 && world.now_ns - made->last_look_ns > LIFE_NS)
            fail_msg("pid %d waits longer than 16 s", made->entry.pid);
        if (made->refused_at_look)
            continue;
        if (!now && !is_clear(made))
            complete = false;
        else if (made->last_look_ns < oldest)
            oldest = made->last_look_ns;
    }
    assert_int_equal(result.complete, complete);
    assert_true(complete); /* there was time enough */
    assert_int_equal(result.scanned, scanned);
    assert_int_equal(result.unreadable, unreadable);
    assert_int_equal(result.process_count, listed);
    assert_int_equal(result.looked_at + result.skipped, result.scanned);
    assert_true(result.oldest_look_ns == oldest);
    for (size_t i = 0; i < result.process_count; i++) {
        const struct made *made = find((int32_t)result.processes[i].identity.pid);
        assert_non_null(made);
        assert_int_equal(result.processes[i].identity.start_stamp, made->stamp);
        assert_int_equal(result.processes[i].device_file_count, made->files_at_look);
    }
}

static void test_properties(void **state)
{
    (void)state;
    static const int64_t intervals[] = {SECOND, SECOND / 4, 2 * (int64_t)SECOND,
                                        5 * (int64_t)SECOND};
    for (uint32_t round = 0; round < 12; round++) {
        setup(NULL);
        seed = round;
        int64_t interval_ns = intervals[round % 4];
        for (int32_t pid = 1; pid <= 120; pid++) {
            struct made *made = add(pid * 3);
            made->kernel = pid % 5 == 0;
            made->refused = !made->kernel && pid % 11 == 0;
            made->gpu_files = !made->kernel && pid % 13 == 0;
        }
        for (int step = 0; step < 150; step++) {
            bool must[WORLD_MAX] = {false};
            for (size_t i = 0; i < world.size; i++) {
                struct made *made = &world.processes[i];
                if (step > 0 && !made->kernel)
                    mutate(made);
                bool young = made->first_walk < 0 || world.walk - made->first_walk < 3;
                must[i] = young ||
                          (!made->refused_at_look && made->looks > 0 &&
                           (made->files_at_look > 0 || made->count != made->count_at_look)) ||
                          made->entry.inode != made->inode_at_look;
            }
            run(interval_ns, false);
            check_walk(must);
            /* refreshes come a little late */
            next(interval_ns + (int64_t)roll(40) * interval_ns / 1000);
        }
        teardown(NULL);
    }
    setup(NULL);
}

/* The steady state is cheap: what has no reason to be looked at has one look in 16 s. */
static void test_steady(void **state)
{
    (void)state;
    for (int32_t pid = 1; pid <= 300; pid++)
        add(pid)->gpu_files = pid <= 3;
    int looks = 0;
    for (int i = 0; i < 150; i++) {
        if (i == 10)
            find(100)->entry.inode = 4242; /* costs one look */
        run(SECOND, false);
        if (i >= 30)
            looks += world.looks;
        if (i >= 3 && i != 10)
            assert_true(world.looks <= 3 + 297 / 15 + 1);
        next(SECOND);
    }
    /* 3 holders each time; 297 others at least every 16 s and no more often than every 15 s */
    assert_true(looks >= 120 * 3 + 297 * 120 / 16 - 297);
    assert_true(looks <= 120 * (3 + 20));
}

/* SPEC section 5, "When looks are skipped"; a match in a container or in WSL rests on when a
 * process begins, so that none may be noticed late where nothing gives it away (before Linux 6.2).
 */
static void test_who_is_looked_at(void **state)
{
    (void)state;
    static const struct {
        struct walk_situation situation;
        bool all;
    } cases[] = {
        {{.can_count = true, .interval_ns = 1000000000}, false},
        {{.can_count = false, .interval_ns = 1000000000}, false},
        {{.can_count = true, .timely = true, .interval_ns = 1000000000}, false},
        {{.can_count = false, .timely = true, .interval_ns = 1000000000}, true},
        {{.can_count = true, .first = true, .interval_ns = 1000000000}, true},
        {{.can_count = true, .recorded = true, .interval_ns = 1000000000}, true},
        {{.can_count = true, .one_shot = true, .interval_ns = 1000000000}, true},
        {{.can_count = true, .interval_ns = 16000000000}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(fd_walk_takes_all(&cases[i].situation), cases[i].all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_is_looked_at),
        cmocka_unit_test_setup_teardown(test_first_three, setup, teardown),
        cmocka_unit_test_setup_teardown(test_changes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_shot_and_long_interval, setup, teardown),
        cmocka_unit_test_setup_teardown(test_not_counted, setup, teardown),
        cmocka_unit_test_setup_teardown(test_zombie_later, setup, teardown),
        cmocka_unit_test_setup_teardown(test_failures, setup, teardown),
        cmocka_unit_test_setup_teardown(test_budget, setup, teardown),
        cmocka_unit_test_setup_teardown(test_holder_without_time, setup, teardown),
        cmocka_unit_test_setup_teardown(test_blind, setup, teardown),
        cmocka_unit_test_setup_teardown(test_recorded, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pause, setup, teardown),
        cmocka_unit_test_setup_teardown(test_steady, setup, teardown),
        cmocka_unit_test_setup_teardown(test_properties, NULL, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
