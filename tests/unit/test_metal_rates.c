/* Expected values: SPEC section 5 (macOS); the cases with numbers of real Macs run end to end. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "rules/metal_rates.h"

enum { SAMPLES = 2, CLIENTS_MAX = 3 };

#define SECOND_NS INT64_C(1000000000)
#define MS(value) measured_known((value)*INT64_C(1000000))
#define UNKNOWN measured_unknown(REASON_call_failed)

struct told_client {
    uint64_t id;
    uint64_t stamp; /* of the process; 0: no such client */
    int64_t ms;     /* -1: unknown */
};

/* One process, pid 9, on one accelerator; two samples a second apart. */
static const struct {
    const char *what;
    bool complete[SAMPLES];
    struct told_client clients[SAMPLES][CLIENTS_MAX];
    bool known, lower_bound;
    double percent;
    enum reason why_not;
} tables[] = {
    {"growth", {true, true}, {{{1, 5, 100}}, {{1, 5, 600}}}, true, false, 50, 0},
    {"several clients add up, also beyond 100",
     {true, true},
     {{{1, 5, 0}, {2, 5, 0}}, {{1, 5, 900}, {2, 5, 800}}},
     true,
     false,
     170,
     0},
    {"a closed client takes nothing away",
     {true, true},
     {{{1, 5, 10}, {2, 5, 9000}}, {{1, 5, 30}}},
     true,
     false,
     2,
     0},
    {"born in the interval",
     {true, true},
     {{{1, 5, 10}}, {{1, 5, 10}, {2, 5, 70}}},
     true,
     false,
     7,
     0},
    {"new after a failed listing is a baseline",
     {false, true},
     {{{1, 5, 10}}, {{1, 5, 30}, {2, 5, 70}}},
     true,
     true,
     2,
     0},
    {"only new ones after a failed listing",
     {false, true},
     {{{1, 5, 10}}, {{2, 5, 70}}},
     false,
     false,
     0,
     REASON_need_two_samples},
    {"a failed listing now may lack some",
     {true, false},
     {{{1, 5, 10}}, {{1, 5, 30}}},
     true,
     true,
     2,
     0},
    {"one client is unknown",
     {true, true},
     {{{1, 5, 0}, {2, 5, 0}}, {{1, 5, 30}, {2, 5, -1}}},
     true,
     true,
     3,
     0},
    {"was unknown before",
     {true, true},
     {{{1, 5, -1}}, {{1, 5, 30}}},
     false,
     false,
     0,
     REASON_need_two_samples},
    {"all are unknown",
     {true, true},
     {{{1, 5, 0}}, {{1, 5, -1}}},
     false,
     false,
     0,
     REASON_call_failed},
    {"went backwards",
     {true, true},
     {{{1, 5, 50}}, {{1, 5, 30}}},
     false,
     false,
     0,
     REASON_counter_not_monotonic},
    {"another process of the same pid",
     {true, true},
     {{{1, 5, 50}}, {{1, 6, 90}}},
     false,
     false,
     0,
     REASON_pid_reused},
    {"idle is a measured 0", {true, true}, {{{1, 5, 50}}, {{1, 5, 50}}}, true, false, 0, 0},
};

struct sample {
    struct metal_accelerator_reading accelerator;
    struct metal_client_reading clients[CLIENTS_MAX];
    struct metal_process_reading process;
    struct metal_reading reading;
};

static void fill(struct sample *sample, int number, bool complete,
                 const struct told_client clients[CLIENTS_MAX])
{
    *sample = (struct sample){
        .accelerator = {.adapter_id = "ioreg:0x1",
                        .registry_id = 1,
                        .taken_ns = 100 * SECOND_NS + number * SECOND_NS,
                        .listing_complete = complete},
        .process = {.creator_name = raw_from_string("name"), .owner_known = true, .is_own = true},
    };
    size_t count = 0;
    for (int i = 0; i < CLIENTS_MAX && clients[i].stamp; i++) {
        sample->clients[count++] = (struct metal_client_reading){
            .registry_id = clients[i].id,
            .gpu_time_ns = clients[i].ms < 0 ? UNKNOWN : MS(clients[i].ms),
        };
        sample->process.identity = identity_make(NAMESPACE_LOCAL, 9, clients[i].stamp);
    }
    sample->reading = (struct metal_reading){.accelerators = &sample->accelerator,
                                             .accelerator_count = 1,
                                             .clients = sample->clients,
                                             .client_count = count,
                                             .processes = &sample->process,
                                             .process_count = 1};
}

static void loads(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct metal_rates *rates = metal_rates_new();
        struct arena *arena = arena_new();
        struct metal_rows rows;
        struct sample sample;
        print_message("# %s\n", tables[i].what);
        for (int number = 0; number < SAMPLES; number++) {
            fill(&sample, number, tables[i].complete[number], tables[i].clients[number]);
            metal_rates_step(rates, arena, &sample.reading, &rows);
            assert_int_equal(rows.count, 1);
            if (number == 0)
                assert_false(rows.items[0].load.known);
        }
        const struct metal_row *row = &rows.items[0];
        assert_int_equal(row->load.known, tables[i].known);
        assert_int_equal(row->load_is_lower_bound, tables[i].lower_bound);
        if (row->load.known)
            assert_true(fabs(row->load.percent - tables[i].percent) < 1e-6);
        else
            assert_int_equal(row->load.why_not, tables[i].why_not);
        assert_false(row->left_out);
        arena_free(&arena);
        metal_rates_free(&rates);
    }
}

static void a_pause_gives_no_rates(void **state)
{
    (void)state;
    const struct told_client clients[CLIENTS_MAX] = {{1, 5, 10}}, later[CLIENTS_MAX] = {{1, 5, 90}};
    struct metal_rates *rates = metal_rates_new();
    struct arena *arena = arena_new();
    struct metal_rows rows;
    struct sample sample;
    fill(&sample, 0, true, clients);
    metal_rates_step(rates, arena, &sample.reading, &rows);
    metal_rates_forget(rates);
    fill(&sample, 1, true, later);
    metal_rates_step(rates, arena, &sample.reading, &rows);
    assert_false(rows.items[0].load.known);
    assert_int_equal(rows.items[0].load.why_not, REASON_need_two_samples);
    arena_free(&arena);
    metal_rates_free(&rates);
}

static const struct {
    const char *what, *name;
    bool owner_known, is_own;
    int64_t ms;
    bool left_out;
} owners[] = {
    {"another user's, idle", "coreaudiod", true, false, 0, true},
    {"another user's, busy", "mediaanalysisd", true, false, 1, false},
    {"another user's, unknown", "mediaanalysisd", true, false, -1, false},
    {"our own, idle", "Chess", true, true, 0, false},
    {"nobody knows whose", "gone", false, false, 0, false},
    {"WindowServer", "WindowServer", true, false, 0, false},
};

static void omissions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        struct metal_rates *rates = metal_rates_new();
        struct arena *arena = arena_new();
        struct metal_rows rows;
        struct sample sample;
        print_message("# %s\n", owners[i].what);
        for (int number = 0; number < SAMPLES; number++) {
            const struct told_client clients[CLIENTS_MAX] = {
                {1, 5, number == 0 ? 0 : owners[i].ms}};
            fill(&sample, number, true, clients);
            sample.process.name = raw_from_string(owners[i].name);
            sample.process.owner_known = owners[i].owner_known;
            sample.process.is_own = owners[i].is_own;
            metal_rates_step(rates, arena, &sample.reading, &rows);
            if (number == 0)
                assert_false(rows.items[0].left_out);
        }
        assert_int_equal(rows.items[0].left_out, owners[i].left_out);
        arena_free(&arena);
        metal_rates_free(&rates);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads),
        cmocka_unit_test(a_pause_gives_no_rates),
        cmocka_unit_test(omissions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
