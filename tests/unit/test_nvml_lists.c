/* Process lists of NVML: element sizes by generation, and the guard against the sizes that changed
 * without a new name. The functions are scripted here, without a library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "gpu/nvml/nvml_lists.h"

enum { ROOM = 8, BUFFER = ROOM * NVML_PROCESS_INFO_LARGEST };
static const uint64_t total = 8ULL << 30;

/* Writes entries as a driver with elements of `stride` bytes does. */
static void write_entries(unsigned char *out, size_t stride, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char element[NVML_PROCESS_INFO_LARGEST] = {0};
        struct nvml_process_info_v2 info = {.pid = (uint32_t)(21001 + i),
                                            .used_bytes = (1600 + i) << 20,
                                            .gpu_instance = NVML_NO_INSTANCE,
                                            .compute_instance = NVML_NO_INSTANCE};
        memcpy(element, &info, sizeof info);
        memcpy(out + i * stride, element, stride);
    }
}

static void test_layout(void **state)
{
    (void)state;
    static const struct {
        size_t written, believed, count;
        bool plausible;
    } cases[] = {
        {24, 24, 3, true},  {16, 16, 3, true},    {24, 24, 0, true},  {32, 24, 1, false},
        {32, 24, 3, false}, {16, 24, 1, false},   {16, 24, 3, false}, {24, 16, 1, false},
        {24, 16, 3, false}, {24, 24, ROOM, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned char buffer[BUFFER];
        memset(buffer, NVML_LIST_PATTERN, sizeof buffer);
        write_entries(buffer, cases[i].written, cases[i].count);
        assert_int_equal(
            nvml_list_is_plausible(buffer, sizeof buffer, cases[i].count, cases[i].believed, total),
            cases[i].plausible);
    }
}

static void test_values(void **state)
{
    (void)state;
    static const struct {
        struct nvml_process_info_v2 info;
        uint64_t total;
        bool plausible;
    } cases[] = {
        {{1, 1, NVML_NO_INSTANCE, NVML_NO_INSTANCE}, 100, true},
        {{4194304, 100, 3, 0}, 100, true},
        {{4194305, 1, 3, 0}, 100, false},
        {{0, 1, 3, 0}, 100, false},
        {{7, 101, 3, 0}, 100, false},
        {{7, 101, 3, 0}, 0, true},
        {{7, NVML_VALUE_NOT_AVAILABLE, 3, 0}, 100, true},
        {{7, NVML_VALUE_NOT_AVAILABLE - 1, 3, 0}, 0, false},
        {{7, 1, 0xA5A5A5A5, 0xA5A5A5A5}, 100, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned char buffer[BUFFER];
        memset(buffer, NVML_LIST_PATTERN, sizeof buffer);
        memcpy(buffer, &cases[i].info, sizeof cases[i].info);
        assert_int_equal(nvml_list_is_plausible(buffer, sizeof buffer, 1, 24, cases[i].total),
                         cases[i].plausible);
    }
    unsigned char buffer[BUFFER];
    assert_false(nvml_list_is_plausible(buffer, sizeof buffer, SIZE_MAX / 8, 24, total));
}

static void test_not_available_is_no_size(void **state)
{
    (void)state;
    struct nvml_process_info_v2 info = {79, NVML_VALUE_NOT_AVAILABLE, NVML_NO_INSTANCE, 0};
    struct nvml_list_entry entry = nvml_list_decode((const unsigned char *)&info, sizeof info);
    assert_int_equal(entry.pid, 79);
    assert_false(entry.memory_bytes.known);
    assert_int_equal(entry.memory_bytes.value, 0);
}

/* ---- calls ---- */

struct script {
    size_t stride;
    uint32_t count;  /* processes there are */
    int short_calls; /* the next calls say 7 and one more than there is */
    int code;        /* 0, or what every call answers */
    int calls;
};

static int run(void *handle, uint32_t *count, void *out)
{
    struct script *script = handle;
    script->calls++;
    if (script->code != 0)
        return script->code;
    uint32_t need = script->count;
    if (script->short_calls > 0) {
        script->short_calls--;
        *count = need + 1;
        return NVML_INSUFFICIENT_SIZE;
    }
    if (*count < need) {
        *count = need;
        return NVML_INSUFFICIENT_SIZE;
    }
    write_entries(out, script->stride, need);
    *count = need;
    return NVML_OK;
}

static int refuse(void *handle, uint32_t *count, void *out)
{
    (void)count;
    (void)out;
    ((struct script *)handle)->calls++;
    return NVML_FUNCTION_NOT_FOUND;
}

/* The generations that a library offers: _v2, _v3, none. */
static struct nvml_process_list call(struct nvml_functions *functions, struct script *script)
{
    struct nvml_calls calls;
    struct nvml_process_list list = {0};
    nvml_calls_start(&calls, functions);
    nvml_list_read(&list, &calls, script, NVML_LIST_COMPUTE, total);
    return list;
}

static void test_generations(void **state)
{
    (void)state;
    static const struct {
        int (*functions[3])(void *, uint32_t *, void *);
        size_t stride;
        int status;
        size_t count;
        int calls;
    } cases[] = {
        {{run, run, run}, 24, NVML_OK, 3, 1},
        {{NULL, run, run}, 24, NVML_OK, 3, 1},
        {{NULL, NULL, run}, 16, NVML_OK, 3, 1},
        {{refuse, NULL, run}, 16, NVML_OK, 3, 2},
        {{refuse, refuse, refuse}, 24, NVML_FUNCTION_NOT_FOUND, 0, 3},
        {{NULL, NULL, NULL}, 24, NVML_FUNCTION_NOT_FOUND, 0, 0},
        {{NULL, run, NULL}, 32, NVML_UNEXPECTED_LAYOUT, 0, 1},
        {{NULL, run, NULL}, 16, NVML_UNEXPECTED_LAYOUT, 0, 1},
        {{NULL, run, run}, 16, NVML_OK, 3, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct nvml_functions functions = {0};
        struct script script = {.stride = cases[i].stride, .count = 3};
        memcpy(functions.compute_list, cases[i].functions, sizeof functions.compute_list);
        struct nvml_process_list list = call(&functions, &script);
        assert_int_equal(list.status, cases[i].status);
        assert_int_equal(list.count, cases[i].count);
        assert_int_equal(script.calls, cases[i].calls);
        for (size_t k = 0; k < list.count; k++) {
            assert_int_equal(list.items[k].pid, 21001 + k);
            assert_int_equal(list.items[k].memory_bytes.value, (1600 + (int64_t)k) << 20);
        }
        nvml_list_free(&list);
    }
}

static void test_a_growing_list_is_asked_again(void **state)
{
    (void)state;
    struct nvml_functions functions = {.compute_list = {run}};
    struct script script = {.stride = 24, .count = 1000, .short_calls = 3};
    struct nvml_process_list list = call(&functions, &script);
    assert_int_equal(list.status, NVML_OK);
    assert_int_equal(list.count, 1000);
    assert_int_equal(script.calls, 4);
    nvml_list_free(&list);
}

static void test_growing_without_end_is_given_up(void **state)
{
    (void)state;
    struct nvml_functions functions = {.compute_list = {run}};
    struct script script = {.stride = 24, .count = 5, .short_calls = 1000};
    struct nvml_process_list list = call(&functions, &script);
    assert_int_equal(list.status, NVML_INSUFFICIENT_SIZE);
    assert_int_equal(script.calls, NVML_LIST_TRIES);
    assert_int_equal(list.count, 0);
    nvml_list_free(&list);
    script = (struct script){.stride = 24, .count = UINT32_MAX};
    list = call(&functions, &script);
    assert_int_equal(list.status, NVML_INSUFFICIENT_SIZE);
    assert_int_equal(script.calls, 1);
    nvml_list_free(&list);
}

static void test_a_failed_call_is_not_repeated(void **state)
{
    (void)state;
    struct nvml_functions functions = {.compute_list = {run, run, run}};
    struct script script = {.stride = 24, .count = 5, .code = NVML_UNKNOWN};
    struct nvml_process_list list = call(&functions, &script);
    assert_int_equal(list.status, NVML_UNKNOWN);
    assert_int_equal(script.calls, 1);
    assert_int_equal(nvml_list_reason(list.status), REASON_call_failed);
    nvml_list_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_not_available_is_no_size),
        cmocka_unit_test(test_generations),
        cmocka_unit_test(test_a_growing_list_is_asked_again),
        cmocka_unit_test(test_growing_without_end_is_given_up),
        cmocka_unit_test(test_a_failed_call_is_not_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
