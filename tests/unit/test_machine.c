/* Expected values: SNAPSHOT, "Recorded machines"; reference on namespaces and WSL. A recorded
 * machine, from the variables to its readings, and the real one as far as every Linux has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "base/arena.h"
#include "os/linux/mode.h"
#include "os/linux/process_files.h"
#include "os/machine.h"
#include "tree.h"

static char top[TREE_PATH_SIZE];

static const char *const variables[] = {"GPUTASKMAN_SYSROOT",    "GPUTASKMAN_SAMPLE_TIMES",
                                        "GPUTASKMAN_WALL_TIMES", "GPUTASKMAN_SAMPLE_FILE",
                                        "GPUTASKMAN_SELF_PID",   "GPUTASKMAN_RECORDED",
                                        "GPUTASKMAN_NVML",       "GPUTASKMAN_POWERSHELL"};

static int setup(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    tree_new(top);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    tree_remove(top);
    return 0;
}

#define STAT(pid, name, flags, ticks, start)                                                       \
#pid " (" name ") S 1 1 1 0 -1 " #flags " 0 0 0 0 " #ticks " 50 0 0 20 0 4 0 " #start          \
         " 0 10 0\n"

static void add_process(const char *tree, const char *pid, const char *stat, const char *link)
{
    char path[128];
    snprintf(path, sizeof path, "%s/proc/%s/stat", tree, pid);
    tree_write(top, path, stat);
    snprintf(path, sizeof path, "%s/proc/%s/status", tree, pid);
    tree_write(top, path, "Name:\tx\nUid:\t1000\t1000\t1000\t1000\nVmRSS:\t     40 kB\n");
    snprintf(path, sizeof path, "%s/proc/%s/cmdline", tree, pid);
    tree_write_bytes(top, path, "llama-server\0-m\0x.gguf\0", 23);
    snprintf(path, sizeof path, "%s/proc/%s/fd/0", tree, pid);
    tree_link(top, path, "/dev/null");
    if (link) {
        snprintf(path, sizeof path, "%s/proc/%s/fd/7", tree, pid);
        tree_link(top, path, link);
    }
}

static void make_machine(void)
{
    tree_write(top, "a/proc/stat", "cpu  100 0 0 100 0 0 0 0\ncpu0 1 1 1 1\nbtime 1760000000\n");
    tree_write(top, "a/proc/meminfo", "MemTotal: 2048 kB\nMemAvailable: 1024 kB\n");
    tree_write(top, "a/proc/sys/kernel/osrelease", "6.14.2\n");
    tree_write(top, "a/proc/version", "Linux version 9.9.9 (x)\n");
    tree_write(top, "a/etc/hostname", "box\n");
    tree_write(top, "a/etc/passwd", "ann:x:1000:1000::/home/ann:/bin/sh\n");
    add_process("a", "4242", STAT(4242, "llama-server", 4194560, 1200, 181237),
                "/dev/dri/renderD128");
    add_process("a", "300", STAT(300, "nvidia app", 4194560, 1, 5), "/dev/nvidiactl");
    tree_write(top, "a/proc/300/maps",
               "7f0000000000-7f0000001000 r-xp 00000000 08:01 5 /usr/lib/libcuda.so.550.54\n");
    tree_write(top, "a/proc/300/comm", "nvidia-app\n");
    tree_write(top, "a/proc/300/statm", "9 3 1 1 0 1 0\n");
    tree_link(top, "a/proc/300/exe", "/opt/nvidia app");
    add_process("a", "91", STAT(91, "kworker", 2129984, 0, 3), NULL);
    add_process("a", "500", STAT(500, "bash", 4194560, 7, 6), NULL);
    tree_write(top, "b/proc/stat", "cpu  150 0 0 150 0 0 0 0\n");
    add_process("b", "4242", STAT(4242, "other", 4194560, 5, 999999), "/dev/dri/card0");
}

static void set_trees(const char *names)
{
    char value[TREE_PATH_SIZE * 2] = "", part[TREE_PATH_SIZE + 16];
    for (const char *name = names; *name; name++) {
        snprintf(part, sizeof part, "%s%s/%c", value[0] ? ":" : "", top, *name);
        strncat(value, part, sizeof value - strlen(value) - 1);
    }
    setenv("GPUTASKMAN_SYSROOT", value, 1);
}

static const struct process_reading *find(const struct system_reading *reading, int64_t pid)
{
    for (size_t i = 0; i < reading->process_count; i++)
        if (reading->processes[i].identity.pid == pid)
            return &reading->processes[i];
    return NULL;
}

static void sample(struct machine *machine, uint64_t number, const struct system_request *request,
                   struct system_reading *reading, struct pass *pass)
{
    *pass = (struct pass){.number = number, .interval_ns = 1000000000, .deadline_ns = INT64_MAX};
    machine_begin_sample(machine, number, pass);
    system_reading_reset(reading);
    machine_read_system(machine, pass, request, reading);
}

static void check_first_sample(const struct system_reading *reading, const struct pass *pass)
{
    assert_true(pass->running_ns == 100000000000 && pass->elapsed_ns == pass->running_ns);
    assert_true(pass->wall_ns == 1700000000250000000);
    assert_true(raw_equal_string(reading->host.name, "box"));
    assert_true(raw_equal_string(reading->host.kernel, "6.14.2"));
    assert_null(reading->host.boot_id.bytes);
    assert_int_equal(reading->host.memory_available_bytes.value, 1024 * 1024);
    assert_false(reading->host.swap_total_bytes.known);
    assert_int_equal(reading->host.cpu_busy_ticks.value, 100);
    assert_int_equal(reading->walk.scanned, 3);
    assert_int_equal(reading->walk.process_count, 2);
    assert_true(reading->walk.complete);

    const struct process_reading *process = find(reading, 4242);
    assert_true(raw_equal_string(process->name, "llama-server"));
    assert_true(raw_equal_string(process->user, "ann"));
    assert_int_equal(process->command.length, 23);
    assert_memory_equal(process->command.bytes, "llama-server\0-m\0x.gguf\0", 23);
    assert_null(process->executable.bytes);
    assert_int_equal(process->identity.start_stamp, 181237);
    assert_int_equal(process->parent_pid, 1);
    assert_true(process->cpu_time_ns.value == INT64_C(12500000000));
    assert_int_equal(process->ram_bytes.value, 40 * 1024);
    assert_true(process->start_wall_ns == INT64_C(1760001812370000000));
    assert_true(process->read_running_ns == 100000000000);
    assert_false(process->maps_readable || process->maps_gpu_runtime);

    process = find(reading, 300);
    assert_true(raw_equal_string(process->name, "nvidia-app"));
    assert_true(raw_equal_string(process->executable, "/opt/nvidia app"));
    assert_int_equal(process->ram_bytes.value, 3 * 4096);
    assert_true(process->maps_readable && process->maps_gpu_runtime);
    assert_non_null(find(reading, 500));
    assert_int_equal(reading->process_count, 3);
    assert_int_equal(reading->missing_pid_count, 3);
    assert_int_equal(reading->missing_pids[0], -5);
    assert_int_equal(reading->missing_pids[1], 777);
    assert_true(reading->missing_pids[2] == INT64_C(99999999999));
}

static void test_recorded(void **state)
{
    (void)state;
    struct machine *machine;
    struct problem problem;
    struct pass pass;
    char file[TREE_PATH_SIZE], text[8] = {0};
    make_machine();
    set_trees("ab");
    tree_place(top, "number", file);
    setenv("GPUTASKMAN_SAMPLE_TIMES", "100,101", 1);
    setenv("GPUTASKMAN_WALL_TIMES", "1700000000.25,1700000001.25", 1);
    setenv("GPUTASKMAN_SAMPLE_FILE", file, 1);
    assert_true(machine_open(&machine, &problem));
    assert_true(machine->recorded);
    assert_false(machine_waits_between_samples(machine));
    assert_int_equal(machine_sample_count(machine), 2);
    assert_int_equal(machine_mode(machine), MODE_NATIVE);

    struct system_reading *reading = system_reading_new();
    const int64_t pids[] = {500, 777, 4242, 500, -5, INT64_C(99999999999)};
    struct system_request request = {
        .walk = true, .pids = pids, .pid_count = 6, .look_for_cuda = true};
    sample(machine, 0, &request, reading, &pass);
    check_first_sample(reading, &pass);

    /* The next tree: the pid is another process's now. */
    sample(machine, 1, &request, reading, &pass);
    assert_true(pass.running_ns == 101000000000);
    assert_int_equal(reading->host.cpu_busy_ticks.value, 150);
    const struct process_reading *process = find(reading, 4242);
    assert_true(raw_equal_string(process->name, "other"));
    assert_int_equal(process->identity.start_stamp, 999999);
    assert_true(raw_equal_string(process->user, "1000"));
    assert_int_equal(process->start_wall_ns, 0);
    assert_int_equal(reading->walk.processes[0].device_files[0].class, DEVICE_DRM_PRIMARY);
    assert_int_equal(reading->walk.processes[0].device_files[0].fd, 7);
    FILE *number = fopen(file, "r");
    assert_non_null(fgets(text, sizeof text, number));
    fclose(number);
    assert_string_equal(text, "1\n");
    /* later samples read the last tree */
    sample(machine, 5, &request, reading, &pass);
    assert_int_equal(reading->host.cpu_busy_ticks.value, 150);

    request.walk = false;
    sample(machine, 6, &request, reading, &pass);
    assert_false(reading->walk.ran);
    system_reading_free(&reading);
    machine_close(&machine);
    assert_null(machine);
}

static void test_refused(void **state)
{
    (void)state;
    struct machine *machine;
    struct problem problem = {""};
    setenv("GPUTASKMAN_SYSROOT", "/nonexistent/tree", 1);
    assert_false(machine_open(&machine, &problem));
    assert_non_null(strstr(problem.text, "/nonexistent/tree"));
    unsetenv("GPUTASKMAN_SYSROOT");
    setenv("GPUTASKMAN_RECORDED", top, 1);
    assert_false(machine_open(&machine, &problem));
    assert_non_null(strstr(problem.text, "GPUTASKMAN_RECORDED"));
}

static void test_modes(void **state)
{
    (void)state;
    static const struct {
        const char *name, *release, *self_namespace, *first_namespace, *other_namespace, *file;
        bool kernel_process, environment;
        enum machine_mode mode;
    } cases[] = {
        {"bare", "6.14", NULL, NULL, NULL, NULL, false, false, MODE_NATIVE},
        {"wsl", "5.15.167.4-microsoft-standard-WSL2", NULL, "pid:[4026532451]", NULL, NULL, false,
         false, MODE_WSL},
        {"wsl 1", "4.4.0-19041-Microsoft", NULL, NULL, NULL, NULL, false, false, MODE_NATIVE},
        {"own kernel", "6.6-mine", NULL, NULL, NULL, "dev/dxg", false, true, MODE_WSL},
        {"hyper-v guest", "6.6-mine", NULL, NULL, NULL, "dev/dxg", false, false, MODE_NATIVE},
        {"self first", "6.14", "pid:[4026531836]", NULL, NULL, ".dockerenv", false, false,
         MODE_NATIVE},
        {"self nested", "6.14", "pid:[4026532451]", "pid:[4026531836]", NULL, NULL, true, false,
         MODE_CONTAINER},
        {"process 1 first", "6.14", NULL, "pid:[4026531836]", "pid:[4026532451]", NULL, false,
         false, MODE_NATIVE},
        {"process 1 nested", "6.14", NULL, "pid:[4026532451]", NULL, NULL, false, false,
         MODE_CONTAINER},
        {"only another", "6.14", NULL, NULL, "pid:[4026532451]", NULL, false, false,
         MODE_CONTAINER},
        {"only another, first", "6.14", NULL, NULL, "pid:[4026531836]", NULL, false, false,
         MODE_NATIVE},
        {"docker", "6.14", NULL, NULL, NULL, ".dockerenv", false, false, MODE_CONTAINER},
        {"podman", "6.14", NULL, NULL, NULL, "run/.containerenv", false, false, MODE_CONTAINER},
        {"kernel process", "6.14", NULL, NULL, NULL, ".dockerenv", true, false, MODE_NATIVE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[TREE_PATH_SIZE], tree[16];
        snprintf(tree, sizeof tree, "%zu", i);
        snprintf(path, sizeof path, "%s/proc/sys/kernel/osrelease", tree);
        tree_write(top, path, cases[i].release);
        const struct {
            const char *process, *target;
        } namespaces[] = {{"77", cases[i].self_namespace},
                          {"1", cases[i].first_namespace},
                          {"500", cases[i].other_namespace}};
        for (size_t k = 0; k < 3; k++) {
            snprintf(path, sizeof path, "%s/proc/%s/ns/pid", tree, namespaces[k].process);
            if (namespaces[k].target)
                tree_link(top, path, namespaces[k].target);
        }
        if (cases[i].file) {
            snprintf(path, sizeof path, "%s/%s", tree, cases[i].file);
            tree_write(top, path, "");
        }
        if (cases[i].kernel_process) {
            snprintf(path, sizeof path, "%s/proc/2/stat", tree);
            tree_write(top, path,
                       "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 2 0 0\n");
        }
        tree_place(top, tree, path);
        struct root *root = root_open(path);
        enum machine_mode mode = mode_detect(root, "77", cases[i].environment);
        if (mode != cases[i].mode)
            fail_msg("%s: %s", cases[i].name, machine_mode_name(mode));
        root_close(&root);
    }
}

/* Ourselves, on the real machine. */
static void test_real(void **state)
{
    (void)state;
    struct machine *machine;
    struct problem problem;
    struct pass pass;
    assert_true(machine_open(&machine, &problem));
    assert_false(machine->recorded);
    assert_true(machine_waits_between_samples(machine));
    assert_int_equal(machine_sample_count(machine), 0);
    assert_int_equal(machine->self_pid, getpid());
    struct system_reading *reading = system_reading_new();
    int64_t self = getpid();
    struct system_request request = {.walk = true, .pids = &self, .pid_count = 1};
    uint64_t stamp = 0;
    for (uint64_t i = 0; i < 5; i++) {
        sample(machine, i, &request, reading, &pass);
        const struct process_reading *process = find(reading, self);
        assert_non_null(process);
        assert_true(i == 0 || process->identity.start_stamp == stamp);
        stamp = process->identity.start_stamp;
        assert_true(raw_equal_string(process->name, "test_machine"));
        assert_int_equal(process->parent_pid, getppid());
        assert_true(process->ram_bytes.known && process->ram_bytes.value > 100000);
        assert_non_null(process->executable.bytes);
        assert_true(process->start_wall_ns > INT64_C(1500000000000000000));
        assert_true(process->start_wall_ns < pass.wall_ns + INT64_C(60000000000));
        assert_true(reading->walk.scanned > 0);
        assert_true(reading->host.memory_total_bytes.value > 0);
        assert_true(reading->host.cpu_count > 0);
    }
    system_reading_free(&reading);
    machine_close(&machine);
}

static void test_process_files(void **state)
{
    (void)state;
    struct root *root = root_open("/");
    struct arena *arena = arena_new();
    char path[TREE_PATH_SIZE], gone[TREE_PATH_SIZE], text[2048];
    tree_write(top, "model.gguf", "GGUF and some more");
    tree_write(top, "gone.gguf", "GGUF");
    tree_place(top, "model.gguf", path);
    tree_place(top, "gone.gguf", gone);
    int model = open(path, O_RDONLY | O_CLOEXEC), removed = open(gone, O_RDONLY | O_CLOEXEC);
    int socket_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    void *mapped = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, model, 0);
    assert_true(mapped != MAP_FAILED);
    unlink(gone);

    size_t length;
    snprintf(text, sizeof text, "proc/%d/stat", getpid());
    char stat_path[64];
    snprintf(stat_path, sizeof stat_path, "proc/%d/stat", getpid());
    assert_int_equal(root_read(root, stat_path, text, sizeof text - 1, &length, NULL), ROOT_OK);
    text[length] = '\0';
    unsigned long long stamp = 0;
    sscanf(strrchr(text, ')') + 2,
           "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
           &stamp);
    struct process_files files;
    struct identity self = identity_make(NAMESPACE_LOCAL, getpid(), stamp);
    assert_true(process_files_read(root, arena, self, &files));
    assert_true(files.mapped_known && files.open_known);
    bool found_mapped = false, found_open = false, found_removed = false, found_socket = false;
    for (size_t i = 0; i < files.mapped_count; i++)
        if (raw_equal_string(files.mapped[i].path, path)) {
            found_mapped = true;
            assert_int_equal(files.mapped[i].mapped_bytes, 4096);
            assert_false(files.mapped[i].executable);
        }
    for (size_t i = 0; i < files.open_count; i++) {
        found_open |= raw_equal_string(files.open[i].path, path) && files.open[i].fd == model;
        found_removed |= raw_equal_string(files.open[i].path, gone) && files.open[i].deleted;
    }
    for (size_t i = 0; i < files.socket_count; i++)
        found_socket |= files.sockets[i].fd == socket_fd && files.sockets[i].inode > 0;
    assert_true(found_mapped && found_open && found_removed && found_socket);

    self.start_stamp++;
    assert_false(process_files_read(root, arena, self, &files));
    self = identity_make(NAMESPACE_HOST, getpid(), stamp);
    assert_false(process_files_read(root, arena, self, &files));
    munmap(mapped, 4096);
    close(model);
    close(removed);
    close(socket_fd);
    arena_free(&arena);
    root_close(&root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_recorded, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_modes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_real, setup, teardown),
        cmocka_unit_test_setup_teardown(test_process_files, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
