/* Sizes of ggml's types: ggml 0.25's type traits (reference models.md section 2.1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/files/tensor_type.h"

static const struct {
    uint32_t id;
    const char *name;
    int64_t bytes_of_1024; /* of a row of 1024 values: 128 bytes a bit */
} rows[] = {
    {0, "F32", 4096},     {1, "F16", 2048},    {2, "Q4_0", 576},     {3, "Q4_1", 640},
    {6, "Q5_0", 704},     {7, "Q5_1", 768},    {8, "Q8_0", 1088},    {9, "Q8_1", 1152},
    {10, "Q2_K", 336},    {11, "Q3_K", 440},   {12, "Q4_K", 576},    {13, "Q5_K", 704},
    {14, "Q6_K", 840},    {15, "Q8_K", 1168},  {16, "IQ2_XXS", 264}, {17, "IQ2_XS", 296},
    {18, "IQ3_XXS", 392}, {19, "IQ1_S", 200},  {20, "IQ4_NL", 576},  {21, "IQ3_S", 440},
    {22, "IQ2_S", 328},   {23, "IQ4_XS", 544}, {24, "I8", 1024},     {25, "I16", 2048},
    {26, "I32", 4096},    {27, "I64", 8192},   {28, "F64", 8192},    {29, "IQ1_M", 224},
    {30, "BF16", 2048},   {34, "TQ1_0", 216},  {35, "TQ2_0", 264},   {39, "MXFP4", 544},
    {40, "NVFP4", 576},   {41, "Q1_0", 144},   {42, "Q2_0", 288},
};

static void every_type_has_its_size(void **state)
{
    (void)state;
    const uint64_t dimensions[] = {1024};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t elements, bytes;
        assert_int_equal(tensor_size(rows[i].id, dimensions, 1, &elements, &bytes),
                         TENSOR_SIZE_KNOWN);
        assert_string_equal(tensor_type(rows[i].id)->name, rows[i].name);
        assert_int_equal(elements, 1024);
        assert_int_equal(bytes, rows[i].bytes_of_1024);
    }
}

static void removed_and_foreign_types_have_no_size(void **state)
{
    (void)state;
    static const uint32_t ids[] = {4, 5, 31, 32, 33, 36, 37, 38, 43, 130, 9999, UINT32_MAX};
    const uint64_t dimensions[] = {1024};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        int64_t elements, bytes;
        assert_null(tensor_type(ids[i]));
        assert_int_equal(tensor_size(ids[i], dimensions, 1, &elements, &bytes),
                         TENSOR_SIZE_UNKNOWN_TYPE);
        assert_int_equal(elements, 1024);
    }
}

static void hostile_dimensions_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint64_t dimensions[4];
        size_t count;
        uint32_t type;
        enum tensor_size_result result;
    } cases[] = {
        {{(uint64_t)1 << 33, (uint64_t)1 << 33}, 2, 0, TENSOR_SIZE_OVERFLOW},
        {{(uint64_t)1 << 62}, 1, 0, TENSOR_SIZE_OVERFLOW}, /* elements fit, bytes do not */
        {{(uint64_t)1 << 63}, 1, 0, TENSOR_SIZE_NEGATIVE},
        {{UINT64_MAX - 31}, 1, 0, TENSOR_SIZE_NEGATIVE},
        {{33, 8}, 2, 2, TENSOR_SIZE_NO_WHOLE_BLOCKS},
        {{0, 8}, 2, 2, TENSOR_SIZE_KNOWN},
        {{0}, 0, 0, TENSOR_SIZE_KNOWN}, /* no dimension: one value */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t elements, bytes;
        assert_int_equal(
            tensor_size(cases[i].type, cases[i].dimensions, cases[i].count, &elements, &bytes),
            cases[i].result);
    }
}

static void file_types_have_labels(void **state)
{
    (void)state;
    assert_string_equal(file_type_label(15), "Q4_K_M");
    assert_string_equal(file_type_label(1024 + 7), "Q8_0"); /* guessed by the converter */
    assert_string_equal(file_type_label(38), "MXFP4_MOE");
    assert_null(file_type_label(33));
    assert_null(file_type_label(UINT64_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_has_its_size),
        cmocka_unit_test(removed_and_foreign_types_have_no_size),
        cmocka_unit_test(hostile_dimensions_are_refused),
        cmocka_unit_test(file_types_have_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
