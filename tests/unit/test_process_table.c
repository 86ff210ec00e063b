/* Windows' table of processes, from bytes that are laid out as the kernel does and as it never
 * would. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "os/windows/process_table.h"

enum { ENTRY = 192, TABLE_SIZE = 1024, BASE = 0x7ff000 };

struct table {
    unsigned char bytes[TABLE_SIZE];
    struct arena *arena;
    struct windows_process_list list;
};

static void put(unsigned char *bytes, size_t at, uint64_t value, size_t size)
{
    memcpy(bytes + at, &value, size);
}

/* Entry `number`, which names `name_bytes` bytes at the table's offset `name_at`. */
static void put_entry(struct table *table, int number, uint32_t next, uint64_t pid,
                      uint16_t name_bytes, uint64_t name_at)
{
    unsigned char *entry = table->bytes + number * ENTRY;
    put(entry, 0, next, 4);
    put(entry, 32, 134000000000000000 + pid, 8);
    put(entry, 40, 1000 * pid, 8);
    put(entry, 48, 234, 8);
    put(entry, 56, name_bytes, 2);
    put(entry, 64, BASE + name_at, 8);
    put(entry, 80, pid, 8);
    put(entry, 88, 4, 8);
    put(entry, 144, pid << 20, 8);
}

static void put_units(struct table *table, size_t at, const uint16_t *units, size_t count)
{
    memcpy(table->bytes + at, units, count * sizeof *units);
}

static void read_table(struct table *table, size_t size)
{
    process_table_read(table->arena, table->bytes, size, BASE, &table->list);
}

static int make(void **state)
{
    static struct table table;
    memset(&table, 0, sizeof table);
    table.arena = arena_new();
    *state = &table;
    return 0;
}

static int unmake(void **state)
{
    arena_free(&((struct table *)*state)->arena);
    return 0;
}

static void test_processes(void **state)
{
    struct table *table = *state;
    /* "gpü🦙" and a half of a pair */
    static const uint16_t units[] = {'g', 'p', 0xFC, 0xD83E, 0xDD99, 0xD800};
    put_entry(table, 0, ENTRY, 0, 0, 0);
    put_entry(table, 1, ENTRY, 4242, sizeof units, 900);
    put_entry(table, 2, 0, 8, 4, 900);
    put_units(table, 900, units, sizeof units / sizeof *units);
    read_table(table, TABLE_SIZE);
    assert_true(table->list.read);
    assert_int_equal(table->list.count, 3);
    assert_null(table->list.items[0].name.bytes);
    const struct windows_process *process = &table->list.items[1];
    assert_int_equal(process->pid, 4242);
    assert_int_equal(process->parent_pid, 4);
    assert_true(raw_equal_string(process->name, "gp\xC3\xBC\xF0\x9F\xA6\x99\xEF\xBF\xBD"));
    assert_true(process->created_100ns == 134000000000004242);
    assert_true(process->cpu_100ns.known);
    assert_int_equal(process->cpu_100ns.value, 4242234);
    assert_true(process->working_set_bytes.value == INT64_C(4242) << 20);
    assert_true(raw_equal_string(table->list.items[2].name, "gp"));
}

/* Steps that lead into an entry or out of the table end the list. */
static void test_steps(void **state)
{
    static const struct {
        uint32_t next;
        size_t size, count;
    } cases[] = {
        {0, TABLE_SIZE, 1},
        {ENTRY, TABLE_SIZE, 2},
        {1, TABLE_SIZE, 1},
        {151, TABLE_SIZE, 1},
        {152, 304, 2},
        {152, 303, 1},
        {UINT32_MAX, TABLE_SIZE, 1},
        {TABLE_SIZE, TABLE_SIZE, 1},
        {0, 152, 1},
        {0, 151, 0},
        {0, 0, 0},
    };
    struct table *table = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(table->bytes, 0, sizeof table->bytes);
        put_entry(table, 0, cases[i].next, 7, 0, 0);
        read_table(table, cases[i].size);
        assert_int_equal(table->list.count, cases[i].count);
        assert_int_equal(table->list.read, cases[i].count > 0);
    }
}

static void test_names_outside(void **state)
{
    static const struct {
        uint64_t at;
        uint16_t bytes;
        bool known;
    } cases[] = {
        {TABLE_SIZE - 4, 4, true},
        {TABLE_SIZE - 4, 6, false},
        {TABLE_SIZE, 2, false},
        {TABLE_SIZE + 1, 2, false},
        {(uint64_t)0 - 2, 2, false},
        {0, 0, false},
        {0, 1, false},
        {0, 65535, false},
    };
    static const uint16_t units[] = {'a', 'b'};
    struct table *table = *state;
    put_units(table, TABLE_SIZE - sizeof units, units, 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_entry(table, 0, 0, 7, cases[i].bytes, cases[i].at);
        read_table(table, TABLE_SIZE);
        assert_int_equal(table->list.items[0].name.bytes != NULL, cases[i].known);
    }
}

static void test_incredible(void **state)
{
    struct table *table = *state;
    put_entry(table, 0, 0, 7, 0, 0);
    put(table->bytes, 40, UINT64_MAX, 8);
    put(table->bytes, 144, UINT64_MAX, 8);
    put(table->bytes, 32, UINT64_MAX, 8);
    read_table(table, TABLE_SIZE);
    assert_false(table->list.items[0].cpu_100ns.known);
    assert_false(table->list.items[0].working_set_bytes.known);
    assert_int_equal(table->list.items[0].created_100ns, 0);
    put(table->bytes, 40, INT64_MAX, 8);
    put(table->bytes, 48, INT64_MAX, 8);
    read_table(table, TABLE_SIZE);
    assert_false(table->list.items[0].cpu_100ns.known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_processes, make, unmake),
        cmocka_unit_test_setup_teardown(test_steps, make, unmake),
        cmocka_unit_test_setup_teardown(test_names_outside, make, unmake),
        cmocka_unit_test_setup_teardown(test_incredible, make, unmake),
    };

    return cmocka_run_group_tests_name("process_table", tests, NULL, NULL);
}
