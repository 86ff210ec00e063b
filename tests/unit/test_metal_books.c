/* The kernel's books against stand-ins for its two calls. Layouts: xnu bsd/sys/ledger.h,
 * osfmk/mach/task_info.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/metal/macos/books.h"

static struct {
    int error;           /* of the ledger call */
    int32_t names, more; /* how many there are; how many it says too many */
    size_t task_bytes;   /* 0: refused */
} kernel;

static int answer_ledger(int command, void *first, void *second, void *third)
{
    static const char *const names[] = {"cpu_time", "graphics_footprint",
                                        "a_name_of_thirty_two_characters!", "phys_footprint"};
    if (kernel.error)
        return kernel.error;
    int32_t *count = command == LEDGER_TEMPLATE_INFO ? second : third;
    int32_t kept = kernel.names < *count ? kernel.names : *count;
    for (int32_t i = 0; i < kept; i++) {
        if (command == LEDGER_TEMPLATE_INFO)
            memcpy(((struct ledger_template *)first)[i].name, names[i % 4], strlen(names[i % 4]));
        else
            ((struct ledger_entry *)second)[i] =
                (struct ledger_entry){.balance = 1000 * (int64_t)(intptr_t)first + i};
    }
    *count = kept + kernel.more;
    return 0;
}

static size_t answer_task(int pid, void *info)
{
    const int64_t graphics = 1 << 20, compressed = 4096, all = pid;
    memcpy((char *)info + 272, &graphics, sizeof graphics);
    memcpy((char *)info + 280, &compressed, sizeof compressed);
    memcpy((char *)info + 144, &all, sizeof all);
    return kernel.task_bytes;
}

static const struct book_calls calls = {.ledger = answer_ledger, .task = answer_task};

static void balances_in_the_order_of_names(void **state)
{
    struct books books = {.calls = &calls};
    struct metal_ledger_names names;
    struct metal_ledger ledger;
    struct arena *arena = arena_new();
    (void)state;
    kernel = (typeof(kernel)){.names = 4};
    books_names(&books, arena, &names);
    assert_int_equal(names.status, METAL_OK);
    assert_int_equal(names.count, 4);
    assert_true(raw_equal_string(names.names[1], "graphics_footprint"));
    assert_int_equal(names.names[2].length, 32); /* no NUL behind it */
    books_read(&books, 7, names.count, &ledger);
    assert_int_equal(ledger.status, METAL_OK);
    assert_int_equal(ledger.count, 4);
    assert_int_equal(ledger.balances[3], 7003);
    books_read(&books, 7, 2, &ledger); /* no more than asked for */
    assert_int_equal(ledger.count, 2);
    kernel.more = 9; /* says that it wrote more than there was room for */
    books_read(&books, 7, 2, &ledger);
    assert_int_equal(ledger.count, 2);
    books_read(&books, 7, 100000, &ledger);
    assert_true(ledger.count <= METAL_LEDGER_ENTRIES_MAX);
    arena_free(&arena);
}

static void why_books_are_closed(void **state)
{
    static const struct {
        int error;
        enum metal_status status;
    } rows[] = {{EPERM, METAL_DENIED}, {EACCES, METAL_DENIED},      {ESRCH, METAL_GONE},
                {EIO, METAL_FAILED},   {ENOSYS, METAL_UNSUPPORTED}, {EINVAL, METAL_UNSUPPORTED}};
    struct books books = {.calls = &calls};
    struct metal_ledger ledger;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kernel = (typeof(kernel)){.error = rows[i].error, .names = 4};
        books_read(&books, 7, 4, &ledger);
        assert_int_equal(ledger.status, rows[i].status);
        assert_int_equal(ledger.count, 0);
    }
    kernel = (typeof(kernel)){.names = 4};
    books_read(&books, -1, 4, &ledger);
    assert_int_equal(ledger.status, METAL_GONE);
    books_read(&books, INT64_C(1) << 40, 4, &ledger);
    assert_int_equal(ledger.status, METAL_GONE);
}

/* No names, too many, or none at all: the name port is asked. */
static void the_name_port_stands_in(void **state)
{
    static const struct {
        int error;
        int32_t names, more;
        bool by_task;
    } rows[] = {{EPERM, 4, 0, true}, {0, 0, 0, true}, {0, 4, 1000, true}, {0, 4, 0, false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct books books = {.calls = &calls};
        struct metal_ledger_names names;
        struct arena *arena = arena_new();
        kernel = (typeof(kernel)){rows[i].error, rows[i].names, rows[i].more, 0};
        books_names(&books, arena, &names);
        assert_int_equal(books.by_task, rows[i].by_task);
        assert_int_equal(names.status, METAL_OK);
        assert_true(names.count > 0);
        arena_free(&arena);
    }
    struct books books = {.calls = &calls};
    struct metal_ledger_names names;
    struct metal_ledger ledger;
    struct arena *arena = arena_new();
    kernel = (typeof(kernel)){.error = EPERM, .task_bytes = 336};
    books_names(&books, arena, &names);
    assert_true(raw_equal_string(names.names[0], "graphics_footprint"));
    books_read(&books, 7, names.count, &ledger);
    assert_int_equal(ledger.status, METAL_OK);
    assert_int_equal(ledger.count, names.count);
    assert_int_equal(ledger.balances[0], 1 << 20);
    assert_int_equal(ledger.balances[1], 4096);
    assert_int_equal(ledger.balances[names.count - 1], 7);
    books_read(&books, 7, 2, &ledger);
    assert_int_equal(ledger.count, 2);
    kernel.task_bytes = 332; /* of a system that has no such balances */
    books_read(&books, 7, names.count, &ledger);
    assert_int_equal(ledger.status, METAL_UNSUPPORTED);
    kernel.task_bytes = 0;
    books_read(&books, 7, names.count, &ledger);
    assert_int_equal(ledger.status, METAL_DENIED);
    assert_int_equal(ledger.count, 0);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balances_in_the_order_of_names),
        cmocka_unit_test(why_books_are_closed),
        cmocka_unit_test(the_name_port_stands_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
