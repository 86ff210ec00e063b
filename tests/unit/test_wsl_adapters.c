/* Expected values: reference nvidia.md section 9 (adapter pairing): within 64 MiB or 2 %, the only
 * assignment; one device and one adapter of its vendor's are a pair; the software adapter (0x1414)
 * and other vendors' are no candidates; an ambiguous pairing is none. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>

#include "rules/wsl_adapters.h"

enum { NVIDIA = 0x10de, AMD = 0x1002, INTEL = 0x8086, SOFTWARE = 0x1414, SIDES = 3, NONE = -1 };

static const int64_t mib = 1 << 20;
static const char *const ids[SIDES] = {"pci:0000:01:00.0", "pci:0000:02:00.0", "pci:0000:03:00.0"};

struct side {
    int64_t mib; /* used; below 0: unknown */
    uint32_t vendor;
};

struct sample {
    size_t device_count;
    int64_t devices[SIDES]; /* MiB used; below 0: unknown */
    size_t adapter_count;
    struct side adapters[SIDES]; /* with the LUIDs 100, 101 ... */
    uint32_t last_vendor;        /* of the last device; 0: NVIDIA as the others */
};

static struct measured used(int64_t count)
{
    return count < 0 ? measured_unknown(REASON_call_failed) : measured_known(count * mib);
}

static void step(struct wsl_adapters *state, const struct sample *sample)
{
    struct wsl_device devices[SIDES];
    struct wsl_host_adapter adapters[SIDES];
    for (size_t i = 0; i < sample->device_count; i++)
        devices[i] = (struct wsl_device){
            ids[i], used(sample->devices[i]),
            sample->last_vendor && i + 1 == sample->device_count ? sample->last_vendor : NVIDIA};
    for (size_t i = 0; i < sample->adapter_count; i++)
        adapters[i] = (struct wsl_host_adapter){100 + i, used(sample->adapters[i].mib),
                                                sample->adapters[i].vendor};
    wsl_adapters_step(state, devices, sample->device_count, adapters, sample->adapter_count);
}

static int paired(const struct wsl_adapters *state, size_t device)
{
    uint64_t luid;
    return wsl_adapters_luid(state, ids[device], &luid) ? (int)luid - 100 : NONE;
}

/* What the same sample comes to after one and after three. */
static const struct {
    const char *what;
    struct sample sample;
    int at_once[SIDES], at_last[SIDES];
} tables[] = {
    {"one and one, equal", {1, {4000}, 1, {{4000, 0}}}, {0}, {0}},
    {"64 MiB apart", {1, {1000}, 1, {{1064, 0}}}, {0}, {0}},
    {"65 MiB apart", {1, {1000}, 1, {{1065, 0}}}, {NONE}, {NONE}},
    {"2 % of the larger apart", {1, {49000}, 1, {{50000, 0}}}, {0}, {0}},
    {"more than 2 % apart", {1, {48900}, 1, {{50000, 0}}}, {NONE}, {NONE}},
    {"one NVIDIA adapter, whatever it uses", {1, {500}, 1, {{9000, NVIDIA}}}, {0}, {0}},
    {"the same, use unknown", {1, {-1}, 1, {{9000, NVIDIA}}}, {0}, {0}},
    {"use unknown", {1, {-1}, 1, {{9000, 0}}}, {NONE}, {NONE}},
    {"use unknown at the host", {1, {9000}, 1, {{-1, 0}}}, {NONE}, {NONE}},
    {"another vendor's with just that use", {1, {500}, 1, {{500, INTEL}}}, {NONE}, {NONE}},
    {"the software adapter", {1, {0}, 1, {{0, SOFTWARE}}}, {NONE}, {NONE}},
    {"NVIDIA's beside an integrated one", {1, {500}, 2, {{500, INTEL}, {9000, NVIDIA}}}, {1}, {1}},
    {"two cards, far apart, other order",
     {2, {1000, 5000}, 2, {{5000, 0}, {1000, 0}}},
     {1, 0},
     {1, 0}},
    {"two cards, 200 MiB apart: only after three samples",
     {2, {1000, 1200}, 2, {{1000, 0}, {1200, 0}}},
     {NONE, NONE},
     {0, 1}},
    {"two equal cards", {2, {3000, 3000}, 2, {{3000, 0}, {3000, 0}}}, {NONE, NONE}, {NONE, NONE}},
    {"two near cards: both ways fit",
     {2, {3000, 3040}, 2, {{3000, 0}, {3040, 0}}},
     {NONE, NONE},
     {NONE, NONE}},
    {"one card and two adapters that fit", {1, {3000}, 2, {{3000, 0}, {3001, 0}}}, {NONE}, {NONE}},
    {"two cards and one adapter that both fit",
     {2, {3000, 3001}, 1, {{3000, 0}}},
     {NONE, NONE},
     {NONE, NONE}},
    {"a card that fits nothing does not spoil the other",
     {2, {3000, 9000}, 2, {{3000, 0}, {20000, 0}}},
     {0, NONE},
     {0, NONE}},
    {"a card of each vendor, whatever they use",
     {2, {500, 700}, 2, {{9000, AMD}, {8000, NVIDIA}}, AMD},
     {1, 0},
     {1, 0}},
    {"each vendor's with the other's use",
     {2, {500, 9000}, 2, {{500, AMD}, {9000, NVIDIA}}, AMD},
     {1, 0},
     {1, 0}},
    {"AMD's card, and an adapter that may be anybody's",
     {1, {500}, 2, {{9000, AMD}, {500, 0}}, AMD},
     {1},
     {1}},
    {"no adapters", {1, {0}, 0, {{0, 0}}}, {NONE}, {NONE}},
};

static void test_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct wsl_adapters adapters = {.pairs = {{.id = ""}}};
        for (int round = 0; round < 3; round++) {
            step(&adapters, &tables[i].sample);
            const int *expected = round < 2 ? tables[i].at_once : tables[i].at_last;
            for (size_t k = 0; k < tables[i].sample.device_count; k++)
                if (paired(&adapters, k) != expected[k])
                    fail_msg("%s: sample %d, device %zu: %d", tables[i].what, round, k,
                             paired(&adapters, k));
        }
    }
}

/* Three in a row: a sample in which it does not fit begins anew. */
static void test_in_a_row(void **state)
{
    (void)state;
    static const struct sample near = {2, {1000, 1200}, 2, {{1000, 0}, {1200, 0}}};
    static const struct sample off = {2, {1000, 1000}, 2, {{1000, 0}, {1000, 0}}};
    struct wsl_adapters adapters = {.pairs = {{.id = ""}}};
    step(&adapters, &near);
    step(&adapters, &near);
    step(&adapters, &off);
    step(&adapters, &near);
    step(&adapters, &near);
    assert_int_equal(paired(&adapters, 0), NONE);
    step(&adapters, &near);
    assert_int_equal(paired(&adapters, 0), 0);
    step(&adapters, &off); /* a pair is not lost by becoming equal */
    assert_int_equal(paired(&adapters, 0), 0);
    assert_int_equal(paired(&adapters, 1), 1);
}

/* The two sides are read at two moments: only five samples that disagree end a pair. */
static void test_a_pair_that_disagrees(void **state)
{
    (void)state;
    static const struct sample same = {1, {1000}, 1, {{1000, 0}}};
    static const struct sample apart = {1, {1000}, 1, {{7000, 0}}};
    struct wsl_adapters adapters = {.pairs = {{.id = ""}}};
    step(&adapters, &same);
    for (int i = 0; i < 4; i++) {
        step(&adapters, &apart);
        assert_int_equal(paired(&adapters, 0), 0);
    }
    step(&adapters, &same);
    for (int i = 0; i < 5; i++)
        step(&adapters, &apart);
    assert_int_equal(paired(&adapters, 0), NONE);
}

/* Two cards of one vendor are told apart by their use alone: what disagrees then ends the pair,
 * though Windows says the vendor. */
static void test_the_vendor_alone_does_not_hold(void **state)
{
    (void)state;
    static const struct sample same = {2, {1000, 5000}, 2, {{1000, NVIDIA}, {5000, NVIDIA}}};
    static const struct sample other = {2, {1000, 5000}, 2, {{5000, NVIDIA}, {1000, NVIDIA}}};
    struct wsl_adapters adapters = {.pairs = {{.id = ""}}};
    step(&adapters, &same);
    assert_int_equal(paired(&adapters, 0), 0);
    for (int i = 0; i < 6; i++)
        step(&adapters, &other);
    assert_int_equal(paired(&adapters, 0), 1);
    assert_int_equal(paired(&adapters, 1), 0);
    static const struct sample one = {1, {1000}, 1, {{9000, NVIDIA}}};
    adapters = (struct wsl_adapters){.pairs = {{.id = ""}}};
    for (int i = 0; i < 9; i++)
        step(&adapters, &one); /* the only one of its vendor: it holds */
    assert_int_equal(paired(&adapters, 0), 0);
}

static void test_a_side_that_goes(void **state)
{
    (void)state;
    static const struct sample both = {1, {1000}, 1, {{1000, NVIDIA}}};
    static const struct sample no_adapter = {1, {1000}, 0, {{0, 0}}};
    static const struct sample no_device = {0, {0}, 1, {{1000, NVIDIA}}};
    struct wsl_adapters adapters = {.pairs = {{.id = ""}}};
    step(&adapters, &both);
    step(&adapters, &no_adapter); /* its LUID is new after a driver's restart */
    assert_int_equal(paired(&adapters, 0), NONE);
    step(&adapters, &both);
    step(&adapters, &no_device);
    assert_int_equal(paired(&adapters, 0), NONE);
}

/* More than can be paired stay unpaired, and it ends. */
static void test_very_many(void **state)
{
    (void)state;
    enum { MANY = 64 };
    struct wsl_device devices[MANY];
    struct wsl_host_adapter adapters[MANY];
    char names[MANY][ADAPTER_ID_SIZE];
    struct wsl_adapters paired_state = {.pairs = {{.id = ""}}};
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "pci:%04x:00:00.0", (unsigned)i);
        devices[i] = (struct wsl_device){names[i], measured_known(mib), NVIDIA};
        adapters[i] = (struct wsl_host_adapter){(uint64_t)i, measured_known(mib), 0};
    }
    for (int i = 0; i < 4; i++)
        wsl_adapters_step(&paired_state, devices, MANY, adapters, MANY);
    uint64_t luid;
    for (int i = 0; i < MANY; i++)
        assert_false(wsl_adapters_luid(&paired_state, names[i], &luid));
    assert_false(wsl_adapters_luid(&paired_state, "", &luid));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_in_a_row),
        cmocka_unit_test(test_a_pair_that_disagrees),
        cmocka_unit_test(test_the_vendor_alone_does_not_hold),
        cmocka_unit_test(test_a_side_that_goes),
        cmocka_unit_test(test_very_many),
    };
    return cmocka_run_group_tests_name("wsl_adapters", tests, NULL, NULL);
}
