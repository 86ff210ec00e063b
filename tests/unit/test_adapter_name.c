/* An adapter's name in little room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "view/adapter_name.h"

static void test_what_says_least_goes_first(void **state)
{
    static const struct {
        const char *name;
        size_t width;
        const char *expected;
    } cases[] = {
        {"AMD Radeon RX 7800 XT", 21, "AMD Radeon RX 7800 XT"},
        {"AMD Radeon RX 7800 XT", 20, "Radeon RX 7800 XT"},
        {"AMD Radeon RX 7800 XT", 16, "RX 7800 XT"},
        {"AMD Radeon RX 7800 XT", 7, "7800 XT"},
        {"AMD Radeon 780M Graphics", 16, "Radeon 780M"},
        {"AMD Radeon 780M Graphics", 6, "780M"},
        {"NVIDIA GeForce RTX 4090", 16, "GeForce RTX 4090"},
        {"NVIDIA GeForce RTX 4090", 8, "RTX 4090"},
        {"NVIDIA H100 80GB HBM3", 16, "H100 80GB HBM3"},
        {"Intel(R) Arc(TM) A770 Graphics", 10, "A770"},
        {"Battlemage G21 [Arc B580]", 25, "Battlemage G21 [Arc B580]"},
        {"Battlemage G21 [Arc B580]", 18, "Arc B580"},
        {"Intel Alder Lake-P GT2 [Iris Xe Graphics]", 10, "Iris Xe"},
        {"AMD Navi 31 []", 10, "Navi 31 []"}, /* nothing is no name */
        {"NVIDIA H100 80GB HBM3", 13, "H100 80GB"},
        {"NVIDIA GeForce RTX 4090 Laptop GPU", 16, "RTX 4090 Laptop"},
        {"NVIDIA RTX 6000 Ada Generation", 14, "RTX 6000 Ada"},
        {"Intel(R) Graphics", 9, "Graphics"}, /* a name never becomes empty */
        {"AMD Radeon", 3, "Rad"},
        {"", 5, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[64];
        struct text name = {cases[i].name, strlen(cases[i].name)};
        adapter_short_name(name, cases[i].width, false, out, sizeof out);
        assert_string_equal(out, cases[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_says_least_goes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
