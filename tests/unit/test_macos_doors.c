/* What macOS' kernel answers, as its bytes: the process table, arguments, regions, descriptors.
 * Layouts: xnu bsd/sys/proc_info.h, bsd/sys/sysctl.h (asserted in os/macos/calls_door.c). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "os/macos/host.h"
#include "os/macos/kinfo.h"
#include "os/macos/process_arguments.h"
#include "os/macos/protected_path.h"
#include "os/macos/regions.h"
#include "os/macos/sockets.h"

static void put(char *record, size_t offset, uint64_t value, size_t size)
{
    memcpy(record + offset, &value, size);
}

static void a_record_of_the_process_table(void **state)
{
    char record[KINFO_BYTES] = {0};
    struct macos_process process;
    struct arena *arena = arena_new();
    (void)state;
    put(record, 0, 1764540000, 8);
    put(record, 8, 250001, 4);
    record[36] = 2;
    put(record, 40, 4245, 4);
    memcpy(record + 243, "Code Helper (GPU)", 17); /* no NUL */
    put(record, 392, 0, 4);
    put(record, 420, 501, 4);
    put(record, 560, 612, 4);
    assert_true(kinfo_parse(arena, record, &process));
    assert_int_equal(process.pid, 4245);
    assert_int_equal(process.parent_pid, 612);
    assert_int_equal(process.uid, 501);
    assert_true(process.started_us == 1764540000250001);
    assert_true(raw_equal_string(process.name, "Code Helper (GPU)"));
    assert_false(process.zombie);
    assert_false(process.ram_bytes.known);
    assert_int_equal(process.cpu_time_ns.why_not, REASON_not_permitted);
    record[36] = 5;
    put(record, 8, 1000000, 4); /* no fraction of a second */
    assert_true(kinfo_parse(arena, record, &process));
    assert_true(process.zombie);
    assert_int_equal(process.started_us, 0);
    put(record, 8, 0, 4);
    put(record, 0, INT64_MAX, 8);
    assert_int_equal(kinfo_started_us(record), 0);
    put(record, 40, (uint64_t)-1, 4);
    assert_false(kinfo_parse(arena, record, &process));
    arena_free(&arena);
}

#define RAW(literal) ((struct raw_text){literal, sizeof(literal) - 1})

static void arguments_and_environment(void **state)
{
    static const struct {
        struct raw_text bytes;
        bool good;
        struct raw_text program, command, environment;
    } rows[] = {
        {RAW("\2\0\0\0/usr/bin/llama\0\0\0\0llama\0-m\0A=b\0C=\0\0ptr_munge=\0"), true,
         RAW("/usr/bin/llama"), RAW("llama\0-m\0"), RAW("A=b\0C=\0")},
        {RAW("\0\0\0\0/bin/x\0A=b\0"), true, RAW("/bin/x"), RAW(""), RAW("A=b\0")},
        {RAW("\1\0\0\0/bin/x\0x\0"), true, RAW("/bin/x"), RAW("x\0"), RAW("")},
        {RAW("\3\0\0\0/bin/x\0x\0cut off"), true, RAW("/bin/x"), RAW("x\0"), RAW("")},
        {RAW("\1\0\0\0/bin/x\0x\0A=b\0B=cut"), true, RAW("/bin/x"), RAW("x\0"), RAW("A=b\0")},
        {RAW("\377\377\377\377/bin/x\0x\0"), false, RAW(""), RAW(""), RAW("")},
        {RAW("\1\0\0\0no end"), false, RAW(""), RAW(""), RAW("")},
        {RAW("\1\0\0"), false, RAW(""), RAW(""), RAW("")},
        {{NULL, 0}, false, RAW(""), RAW(""), RAW("")},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct process_arguments arguments;
        assert_int_equal(process_arguments_parse(rows[i].bytes, &arguments), rows[i].good);
        if (!rows[i].good)
            continue;
        assert_true(raw_equal(arguments.program, rows[i].program));
        assert_true(raw_equal(arguments.command, rows[i].command));
        assert_true(raw_equal(arguments.environment, rows[i].environment));
    }
}

/* A process's regions, and an end. */
static struct {
    struct {
        uint64_t address, size, inode, bytes;
        uint32_t device, protection;
        const char *path;
    } regions[8];
    size_t count;
    int error; /* behind them */
    bool repeats, endless;
    int calls;
} space;

static int region_info(int pid, int flavor, uint64_t from, void *buffer, int size)
{
    char *record = buffer;
    assert_int_equal(pid, 42);
    assert_int_equal(flavor, 22);
    assert_int_equal(size, 1272);
    memset(record, 0, 1272);
    space.calls++;
    if (space.endless) {
        put(record, 80, from, 8);
        put(record, 88, 4096, 8);
        put(record, 104, 7, 8);
        strcpy(record + 248, "/x");
        return size;
    }
    for (size_t i = 0; i < space.count; i++) {
        if (!space.repeats && space.regions[i].address < from)
            continue;
        put(record, 0, space.regions[i].protection, 4);
        put(record, 80, space.regions[i].address, 8);
        put(record, 88, space.regions[i].size, 8);
        put(record, 96, space.regions[i].device, 4);
        put(record, 104, space.regions[i].inode, 8);
        put(record, 184, space.regions[i].bytes, 8);
        strcpy(record + 248, space.regions[i].path);
        return size;
    }
    errno = space.error;
    return 0;
}

static const struct macos_calls region_calls = {.pid_info = region_info};

static void mapped_files_are_told_once(void **state)
{
    struct arena *arena = arena_new();
    struct macos_mapped_files mapped;
    (void)state;
    memset(&space, 0, sizeof space);
    space.regions[0] = (typeof(space.regions[0])){4096, 8192, 7, 9000, 1, 1, "/m/a.gguf"};
    space.regions[1] = (typeof(space.regions[0])){65536, 4096, 8, 5000, 1, 5, "/lib/libmlx.dylib"};
    space.regions[2] = (typeof(space.regions[0])){131072, 4096, 7, 9000, 1, 1, "/m/same.gguf"};
    space.regions[3] = (typeof(space.regions[0])){262144, 4096, 7, 100, 2, 1, "/other/device"};
    space.count = 4;
    space.error = EINVAL;
    macos_regions_read(&region_calls, arena, 42, &mapped);
    assert_int_equal(mapped.status, MACOS_MAPPED_OK);
    assert_false(mapped.cut);
    assert_int_equal(mapped.count, 3);
    assert_true(raw_equal_string(mapped.files[0].path, "/m/a.gguf"));
    assert_int_equal(mapped.files[0].mapped_bytes, 12288);
    assert_int_equal(mapped.files[0].file_bytes, 9000);
    assert_int_equal(mapped.files[0].inode, 7);
    assert_false(mapped.files[0].executable);
    assert_true(mapped.files[1].executable);
    assert_int_equal(mapped.files[2].device, 2);
    assert_int_equal(space.calls, 5);
    arena_free(&arena);
}

static void a_walk_always_ends(void **state)
{
    static const struct {
        int error;
        bool repeats, endless;
        uint64_t size;
        enum macos_mapped_status status;
        bool cut;
    } rows[] = {
        {.error = EINVAL, .size = 1, .status = MACOS_MAPPED_OK},
        {.error = EPERM, .size = 1, .status = MACOS_MAPPED_DENIED},
        {.error = ESRCH, .size = 1, .status = MACOS_MAPPED_GONE},
        {.error = ENOMEM, .size = 1, .status = MACOS_MAPPED_FAILED},
        {.repeats = true, .size = 4096, .status = MACOS_MAPPED_FAILED},
        {.error = EINVAL, .size = 0, .status = MACOS_MAPPED_FAILED},
        {.error = EINVAL, .size = UINT64_MAX, .status = MACOS_MAPPED_FAILED},
        {.endless = true, .status = MACOS_MAPPED_OK, .cut = true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena *arena = arena_new();
        struct macos_mapped_files mapped;
        memset(&space, 0, sizeof space);
        space.regions[0] = (typeof(space.regions[0])){4096, rows[i].size, 7, 9000, 1, 1, "/a"};
        space.count = 1;
        space.error = rows[i].error;
        space.repeats = rows[i].repeats;
        space.endless = rows[i].endless;
        macos_regions_read(&region_calls, arena, 42, &mapped);
        assert_int_equal(mapped.status, rows[i].status);
        assert_int_equal(mapped.cut, rows[i].cut);
        assert_true(space.calls <= MACOS_MAPPED_REGIONS_MAX);
        assert_int_equal(mapped.count, mapped.status == MACOS_MAPPED_OK ? 1 : 0);
        arena_free(&arena);
    }
    struct macos_mapped_files mapped;
    macos_regions_read(&region_calls, NULL, -1, &mapped);
    assert_int_equal(mapped.status, MACOS_MAPPED_GONE);
}

/* Descriptors: 3 a listening IPv4 socket, 4 a connected one, 5 a file, 6 IPv6, 7 a folder. */
enum { TABLE = 5 };
static bool table_refused, table_full;

static int fd_table(int pid, int flavor, uint64_t argument, void *buffer, int size)
{
    static const int32_t table[TABLE][2] = {{3, 2}, {4, 2}, {5, 1}, {6, 2}, {7, 1}};
    (void)pid;
    assert_int_equal(flavor, 1);
    assert_int_equal(argument, 0);
    if (table_refused) {
        errno = EPERM;
        return 0;
    }
    memset(buffer, 0, (size_t)size);
    memcpy(buffer, table, sizeof table);
    return table_full ? size : (int)sizeof table;
}

static int fd_socket(int fd, char *record)
{
    if (fd != 3 && fd != 4 && fd != 6)
        return 0;
    memset(record, 0, 792);
    put(record, 160, 0xfeed0000U + (unsigned)fd, 8);
    put(record, 256, 2, 4);
    record[268] = 0x2c;
    record[269] = (char)0xaa; /* 11434 */
    record[288] = fd == 6 ? 2 : 1;
    if (fd == 6)
        record[312 + 15] = 1;
    else
        memcpy(record + 312 + 12, "\177\0\0\1", 4);
    put(record, 344, fd == 4 ? 4 : 1, 4);
    return 792;
}

static int fd_info(int pid, int fd, int flavor, void *buffer, int size)
{
    (void)pid;
    if (flavor == 3) {
        assert_int_equal(size, 792);
        return fd_socket(fd, buffer);
    }
    assert_int_equal(flavor, 2);
    assert_int_equal(size, 1200);
    if (fd != 5 && fd != 7)
        return 0;
    memset(buffer, 0, 1200);
    put(buffer, 8, 12345, 8);
    put(buffer, 28, fd == 5 ? 0100644 : 040755, 2);
    strcpy((char *)buffer + 176, fd == 5 ? "/Users/ann/x.log" : "/Users/ann");
    return size;
}

static const struct macos_calls fd_calls = {.pid_info = fd_table, .fd_info = fd_info};

struct taken {
    struct listening_socket sockets[8];
    size_t count, most;
};
static bool take(const struct listening_socket *socket, void *context)
{
    struct taken *taken = context;
    taken->sockets[taken->count++] = *socket;
    return taken->count < taken->most;
}

static void listening_sockets_of_a_process(void **state)
{
    struct taken taken = {.most = 8};
    bool enough = false;
    (void)state;
    table_refused = table_full = false;
    assert_true(macos_listening_of(&fd_calls, 42, take, &taken, &enough));
    assert_int_equal(taken.count, 2);
    assert_false(taken.sockets[0].is_v6);
    assert_int_equal(taken.sockets[0].port, 11434);
    assert_memory_equal(taken.sockets[0].address, "\177\0\0\1", 4);
    assert_true(taken.sockets[0].inode == 0xfeed0003);
    assert_true(taken.sockets[1].is_v6);
    assert_int_equal(taken.sockets[1].address[15], 1);
    taken = (struct taken){.most = 1};
    assert_true(macos_listening_of(&fd_calls, 42, take, &taken, &enough));
    assert_true(enough && taken.count == 1);
    table_full = true;
    enough = false;
    taken = (struct taken){.most = 8};
    assert_false(macos_listening_of(&fd_calls, 42, take, &taken, &enough));
    table_refused = true;
    taken = (struct taken){.most = 8};
    assert_false(macos_listening_of(&fd_calls, 42, take, &taken, &enough));
    assert_int_equal(taken.count, 0);
    assert_true(macos_holds_socket(&fd_calls, 42, 3, 0xfeed0003));
    assert_false(macos_holds_socket(&fd_calls, 42, 3, 0xfeed0004));
    assert_false(macos_holds_socket(&fd_calls, 42, 5, 0xfeed0003));
    assert_false(macos_holds_socket(&fd_calls, 0, 3, 0xfeed0003));
}

static void open_files_of_a_process(void **state)
{
    struct arena *arena = arena_new();
    struct process_files files = {0};
    (void)state;
    table_refused = table_full = false;
    macos_open_files_read(&fd_calls, arena, 42, &files);
    assert_true(files.open_known);
    assert_false(files.open_cut);
    assert_int_equal(files.open_count, 1); /* no folder */
    assert_int_equal(files.open[0].fd, 5);
    assert_true(raw_equal_string(files.open[0].path, "/Users/ann/x.log"));
    assert_int_equal(files.socket_count, 3);
    table_refused = true;
    files = (struct process_files){0};
    macos_open_files_read(&fd_calls, arena, 42, &files);
    assert_false(files.open_known);
    assert_int_equal(files.open_count, 0);
    arena_free(&arena);
}

static void ticks_go_on_where_the_kernel_wraps(void **state)
{
    static const uint32_t first[] = {100, 50, UINT32_MAX - 9, 0}, later[] = {160, 60, 20, 0};
    struct macos_ticks ticks = {0};
    struct host_reading host = {0};
    (void)state;
    macos_ticks_take(&ticks, first, &host);
    int64_t total = host.cpu_total_ticks.value, busy = host.cpu_busy_ticks.value;
    assert_int_equal(busy, 150);
    macos_ticks_take(&ticks, later, &host);
    assert_int_equal(host.cpu_busy_ticks.value - busy, 70);
    assert_int_equal(host.cpu_total_ticks.value - total, 100);
}

static void memory_that_is_left(void **state)
{
    static const struct {
        struct macos_pages pages;
        int64_t total;
        bool known;
        int64_t bytes;
    } rows[] = {
        {{100, 20, 30, 10, 16384}, 1000 * 16384, true, 880 * 16384},
        {{20, 100, 30, 10, 16384}, 1000 * 16384, true, 960 * 16384},
        {{100, 0, 30, 10, 16384}, 100 * 16384, false, 0},
        {{UINT64_MAX, 0, 30, 10, 16384}, 100 * 16384, false, 0},
        {{1, 0, 1, 1, 0}, 100, false, 0},
        {{1, 0, 1, 1, 16384}, 0, false, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct measured left = macos_available_bytes(&rows[i].pages, rows[i].total);
        assert_int_equal(left.known, rows[i].known);
        assert_int_equal(left.value, rows[i].bytes);
    }
}

static void folders_that_are_left_alone(void **state)
{
    static const struct {
        const char *path;
        bool is;
    } rows[] = {
        {"/Users/ann/Library/Containers/com.apple.mail/Data/x", true},
        {"Users/ann/Library/Containers", true},
        {"/Users/ann/library/GROUP containers/x", true},
        {"/Users/ann/Library/Logs/com.pais.handy/handy.log", false},
        {"/Users/ann/Library/ContainersOfMine/x", false},
        {"/Users/ann/Documents/model.gguf", true},
        {"/Users//ann//Desktop/x", true},
        {"/Users/ann/Downloads", true},
        {"/Users/Documents/x", false}, /* a user of that name */
        {"/Users/ann/.ollama/models/blobs/sha256-1", false},
        {"/Users/ann", false},
        {"/System/Library/Extensions/AGXMetalG16X.bundle", true},
        {"/Systematic/x", false},
        {"/usr/lib/libSystem.B.dylib", true},
        {"/usr/local/lib/x", false},
        {"/Volumes/Models/x.gguf", true},
        {"/opt/homebrew/bin/llama-server", false},
        {"/", false},
        {"", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (macos_path_is_protected(rows[i].path) != rows[i].is)
            fail_msg("%s", rows[i].path);
}

static void below_a_mount(void **state)
{
    static const struct {
        const char *path, *folder;
        bool is;
    } rows[] = {
        {"Users/ann/nas/x.gguf", "/Users/ann/nas", true},
        {"/Users/ann/nas", "/users/ann/NAS/", true},
        {"Users/ann/nas2/x", "/Users/ann/nas", false},
        {"Users/ann", "/Users/ann/nas", false},
        {"Users/ann/x", "/", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (macos_path_is_below(rows[i].path, rows[i].folder) != rows[i].is)
            fail_msg("%s below %s", rows[i].path, rows[i].folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_of_the_process_table),
        cmocka_unit_test(arguments_and_environment),
        cmocka_unit_test(mapped_files_are_told_once),
        cmocka_unit_test(a_walk_always_ends),
        cmocka_unit_test(listening_sockets_of_a_process),
        cmocka_unit_test(open_files_of_a_process),
        cmocka_unit_test(ticks_go_on_where_the_kernel_wraps),
        cmocka_unit_test(memory_that_is_left),
        cmocka_unit_test(folders_that_are_left_alone),
        cmocka_unit_test(below_a_mount),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
