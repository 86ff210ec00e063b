/* Expected values: Documentation/admin-guide/devices.txt, drm_minor_alloc() (nodes above 191 of
 * both kinds), NVIDIA's minors 254 and 255. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "os/linux/device_table.h"
#include "tree.h"

enum { NONE = -1 };

static char top[TREE_PATH_SIZE];
static struct root *root;
static struct device_table *table;

static int setup(void **state)
{
    (void)state;
    tree_new(top);
    tree_write(top, "proc/devices",
               "Character devices:\n  1 mem\n195 nvidia\n226 drm\n235 kfd\n508 nvidia-uvm\n\nBlock "
               "devices:\n");
    tree_link(top, "sys/dev/char/226:0", "../../devices/a/drm/card0");
    tree_link(top, "sys/dev/char/226:128", "../../devices/a/drm/renderD128");
    tree_link(top, "sys/dev/char/226:200", "../../devices/b/drm/card200");
    tree_link(top, "sys/dev/char/226:201", "../../devices/b/drm/renderD201");
    tree_link(top, "sys/dev/char/261:0", "../../devices/c/accel/accel0");
    tree_write(top, "sys/class/drm/renderD140/dev", "226:150\n");
    tree_write(top, "sys/class/drm/card0-DP-1/dev", "226:77\n");
    tree_write(top, "sys/class/misc/dxg/dev", "10:125\n");
    root = root_open(top);
    table = device_table_new();
    device_table_begin(table, root, 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    device_table_free(&table);
    root_close(&root);
    tree_remove(top);
    return 0;
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        uint32_t major, minor;
        int class;
    } cases[] = {
        {226, 0, DEVICE_DRM_PRIMARY},
        {226, 128, DEVICE_DRM_RENDER},
        {226, 200, DEVICE_DRM_PRIMARY}, /* by name, not by range */
        {226, 201, DEVICE_DRM_RENDER},
        {226, 5, DEVICE_DRM_PRIMARY}, /* unknown to sysfs: the ranges of old */
        {226, 130, DEVICE_DRM_RENDER},
        {226, 250, DEVICE_DRM_PRIMARY}, /* unknown and mixed: nothing private is claimed */
        {261, 0, DEVICE_ACCEL},
        {195, 0, DEVICE_NVIDIA},
        {195, 255, DEVICE_NVIDIA_CONTROL},
        {195, 254, DEVICE_NVIDIA_CONTROL},
        {508, 0, DEVICE_NVIDIA_CONTROL},
        {508, 1, DEVICE_NVIDIA_CONTROL},
        {235, 0, DEVICE_KFD},
        {10, 125, DEVICE_DXG},
        {10, 126, NONE},
        {1, 3, NONE},
        {136, 0, NONE},
        {509, 0, NONE},
        {UINT32_MAX, 0, NONE},
    };
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            enum device_class class = DEVICE_DRM_RENDER;
            bool found = device_table_class(table, cases[i].major, cases[i].minor, &class);
            if (found != (cases[i].class != NONE) || (found && (int)class != cases[i].class))
                fail_msg("%u:%u gives %d %d", cases[i].major, cases[i].minor, found, class);
        }
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        int class;
        uint32_t major, minor;
    } cases[] = {
        {"/dev/dri/renderD128", DEVICE_DRM_RENDER, 226, 128},
        {"/dev/dri/renderD128 (deleted)", DEVICE_DRM_RENDER, 226, 128},
        {"/dev/dri/card0", DEVICE_DRM_PRIMARY, 226, 0},
        {"/dev/dri/renderD140", DEVICE_DRM_RENDER, 226, 150},
        {"/dev/dri/renderD131", DEVICE_DRM_RENDER, 226, 131},
        {"/dev/dri/card0-DP-1", NONE, 0, 0},
        {"/dev/dri/by-path", NONE, 0, 0},
        {"/dev/accel/accel0", DEVICE_ACCEL, 261, 0},
        {"/dev/nvidia0", DEVICE_NVIDIA, 195, 0},
        {"/dev/nvidia12", DEVICE_NVIDIA, 195, 12},
        {"/dev/nvidiactl", DEVICE_NVIDIA_CONTROL, 195, 255},
        {"/dev/nvidia-modeset", DEVICE_NVIDIA_CONTROL, 195, 254},
        {"/dev/nvidia-uvm", DEVICE_NVIDIA_CONTROL, 0, 0},
        {"/dev/kfd", DEVICE_KFD, 235, 0},
        {"/dev/dxg", DEVICE_DXG, 10, 125},
        {"/dev/null", NONE, 0, 0},
        {"/dev/nvidiax", NONE, 0, 0},
        {"/home/ann/dev/dri/card0", NONE, 0, 0},
        {"socket:[5]", NONE, 0, 0},
        {"", NONE, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum device_class class = DEVICE_DRM_RENDER;
        uint64_t number;
        bool found =
            device_table_class_name(table, raw_from_string(cases[i].target), &class, &number);
        if (found != (cases[i].class != NONE) || (found && (int)class != cases[i].class) ||
            (found && number != device_number_make(cases[i].major, cases[i].minor)))
            fail_msg("%s gives %d %d %llx", cases[i].target, found, class,
                     (unsigned long long)number);
    }
}

/* A driver that is loaded while we run. */
static void test_late_driver(void **state)
{
    (void)state;
    enum device_class class;
    assert_false(device_table_class(table, 510, 0, &class));
    tree_write(top, "proc/devices", "Character devices:\n510 nvidia-uvm\n511 nvidia-caps\n");
    assert_false(device_table_class(table, 510, 0, &class)); /* remembered within this walk */
    device_table_begin(table, root, INT64_C(1000000000));
    assert_true(device_table_class(table, 511, 0, &class)); /* a new major: read again at once */
    assert_int_equal(class, DEVICE_NVIDIA_CONTROL);
    assert_true(device_table_class(table, 510, 0, &class));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_late_driver),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
