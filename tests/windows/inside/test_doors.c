/* The doors to processes and files, under wine: a child of ours is looked into, ended and waited
 * for. Called with "serve" it is that child. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "base/arena.h"
#include "base/thread.h"
#include "os/child.h"
#include "os/root.h"
#include "os/signals.h"
#include "os/windows/inside.h"
#include "os/windows/process_details.h"
#include "os/windows/process_list.h"

enum { SECRET_STATUS = 7 };

static char *program;

static struct wake *quit;

static struct identity identity_of(int64_t pid)
{
    struct arena *arena = arena_new();
    struct windows_process_list list = {.read = false};
    struct identity found = identity_make(NAMESPACE_LOCAL, pid, IDENTITY_NO_STAMP);
    windows_process_list_read(arena, &list);
    assert_true(list.read);
    for (size_t i = 0; i < list.count; i++)
        if (list.items[i].pid == pid)
            found.start_stamp = (uint64_t)list.items[i].created_100ns;
    arena_free(&arena);
    assert_int_not_equal(found.start_stamp, IDENTITY_NO_STAMP);
    return found;
}

static struct child *start(const char *what)
{
    struct problem problem = {""};
    int status = -1;
    char *const words[] = {program, (char *)what, "with \"quotes\" and C:\\a\\", NULL};
    struct child *child = child_start(words, quit, &status, &problem);
    if (!child)
        fail_msg("%s", problem.text);
    return child;
}

/* As any program starts another one. */
static void start_plainly(void)
{
    STARTUPINFOA how = {.cb = sizeof how};
    PROCESS_INFORMATION started;
    char path[MAX_PATH], line[MAX_PATH + 16];
    GetModuleFileNameA(NULL, path, sizeof path);
    snprintf(line, sizeof line, "\"%s\" serve", path);
    CreateProcessA(NULL, line, NULL, NULL, FALSE, 0, NULL, NULL, &how, &started);
}

static void test_signals(void **unused)
{
    (void)unused;
    struct child *child = start("serve");
    struct identity identity = identity_of(child_id(child)), other = identity;
    other.start_stamp++;
    assert_int_equal(signals_send(&other, 15), ESRCH);
    assert_int_equal(signals_send(&identity, 2), ENOSYS);
    assert_int_equal(signals_send(&(struct identity){.pid = 1 << 30, .start_stamp = 1}, 9), ESRCH);
    other.space = NAMESPACE_WINDOWS;
    assert_int_equal(signals_send(&other, 9), EINVAL);
    assert_false(child_has_ended(child));
    assert_int_equal(signals_send(&identity, 9), 0);
    assert_int_equal(child_finish(child), 1);
    assert_int_equal(signals_send(&identity, 9), ESRCH);
    child_free(&child);
}

static void test_children(void **unused)
{
    (void)unused;
    struct problem problem = {""};
    int status = 0;
    char *const missing[] = {"no-such-program-4711", NULL};
    assert_null(child_start(missing, quit, &status, &problem));
    assert_int_equal(status, CHILD_NOT_FOUND);

    wake_clear(quit);
    struct child *child = start("fail");
    assert_true(wake_wait(quit, thread_clock_ns() + INT64_C(20000000000)));
    assert_true(child_has_ended(child));
    assert_int_equal(child_finish(child), SECRET_STATUS);
    child_free(&child);
}

static int64_t child_of(int64_t parent)
{
    struct arena *arena = arena_new();
    struct windows_process_list list = {.read = false};
    int64_t pid = 0;
    windows_process_list_read(arena, &list);
    for (size_t i = 0; i < list.count; i++)
        if (list.items[i].parent_pid == parent &&
            raw_equal_string(list.items[i].name, "test_doors.exe"))
            pid = list.items[i].pid;
    arena_free(&arena);
    return pid;
}

/* The tree is known by its job, also when a parent in between is gone. */
static void test_trees(void **unused)
{
    (void)unused;
    struct child *child = start("tree");
    int64_t pid = 0, until_ns = thread_clock_ns() + INT64_C(20000000000);
    while (pid == 0 && thread_clock_ns() < until_ns) {
        Sleep(50);
        pid = child_of(child_id(child));
    }
    assert_int_not_equal(pid, 0);
    struct identity grandchild = identity_of(pid), own = identity_of(child_id(child));
    assert_true(child_is_ancestor(child, child_id(child)));
    assert_true(child_is_ancestor(child, pid));
    assert_int_equal(signals_send(&own, 9), 0);
    child_finish(child);
    assert_true(child_is_ancestor(child, pid));
    assert_false(child_is_ancestor(child, GetCurrentProcessId()));
    assert_int_equal(signals_send(&grandchild, 9), 0);
    child_free(&child);
}

static bool take(const struct listening_socket *socket, void *context)
{
    (void)socket;
    ++*(size_t *)context;
    return true;
}

static void test_inside(void **unused)
{
    (void)unused;
    struct arena *arena = arena_new();
    struct root *root = root_open("/");
    struct inside inside = windows_inside(root);
    SetEnvironmentVariableW(L"OLLAMA_MODELS", L"D:\\m\u00f6delle");
    struct child *child = start("serve");
    SetEnvironmentVariableW(L"OLLAMA_MODELS", NULL);
    Sleep(300);
    struct identity identity = identity_of(child_id(child)), other = identity;
    other.start_stamp++;
    struct process_about about;
    assert_true(inside.ops->about(&inside, arena, identity.pid, &about));
    assert_int_equal(about.start_stamp, identity.start_stamp);
    assert_int_equal(about.parent_pid, GetCurrentProcessId());
    assert_true(raw_equal_string(about.name, "test_doors.exe"));
    assert_non_null(about.executable.bytes);
    assert_non_null(about.cwd.bytes);
    const char *last = "with \"quotes\" and C:\\a\\";
    size_t length = strlen(last) + 1;
    assert_true(about.command.length > length);
    assert_memory_equal(about.command.bytes + about.command.length - length, last, length);

    struct raw_text variables = inside.ops->environment(&inside, arena, identity.pid);
    static const char wanted[] = "OLLAMA_MODELS=D:\\m\xc3\xb6"
                                 "delle";
    bool found = false;
    for (size_t at = 0; at + sizeof wanted <= variables.length; at++)
        found |= memcmp(variables.bytes + at, wanted, sizeof wanted) == 0;
    assert_true(found);

    struct windows_process_details details;
    windows_process_details_read(arena, identity.pid, (int64_t)identity.start_stamp, &details);
    assert_non_null(details.user.bytes);
    assert_true(raw_equal(details.executable, about.executable));
    windows_process_details_read(arena, identity.pid, (int64_t)other.start_stamp, &details);
    assert_null(details.executable.bytes);

    struct process_files files;
    assert_true(inside.ops->files(&inside, arena, identity, &files));
    assert_true(files.mapped_known && !files.open_known);
    found = false;
    for (size_t i = 0; i < files.mapped_count; i++)
        found |= files.mapped[i].executable && raw_equal(files.mapped[i].path, about.executable);
    assert_true(found);
    assert_false(inside.ops->files(&inside, arena, other, &files));
    size_t sockets = 0;
    assert_int_equal(inside.ops->listening(&inside, 0, take, &sockets), LISTENING_COMPLETE);

    assert_int_equal(signals_send(&identity, 9), 0);
    child_finish(child);
    assert_false(inside.ops->files(&inside, arena, identity, &files));
    child_free(&child);
    root_close(&root);
    arena_free(&arena);
}

static void write_file(const char *path, const char *bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(bytes, 1, strlen(bytes), file);
    fclose(file);
}

static bool count_lines(struct raw_text line, void *context)
{
    (void)line;
    return ++*(size_t *)context < 3;
}

static void test_files(void **unused)
{
    (void)unused;
    char folder[MAX_PATH], place[MAX_PATH + 64], other[MAX_PATH + 64], bytes[8], resolved[1024];
    struct arena *arena = arena_new();
    struct root *root = root_open("/");
    GetTempPathA(sizeof folder, folder);
    snprintf(place, sizeof place, "%sgtm-%lu", folder, GetCurrentProcessId());
    CreateDirectoryA(place, NULL);
    snprintf(folder, sizeof folder, "%s", place);
    snprintf(place, sizeof place, "%s/b.txt", folder);
    write_file(place, "one\ntwo\nthree\nfour");
    snprintf(other, sizeof other, "%s/a.txt", folder);
    write_file(other, " 42\n");

    char **names;
    size_t count, length, lines = 0;
    int64_t number;
    int error;
    assert_int_equal(root_list(root, arena, folder, 10, &names, &count), ROOT_OK);
    assert_int_equal(count, 2);
    assert_string_equal(names[0], "a.txt");
    assert_int_equal(root_list(root, arena, folder, 1, &names, &count), ROOT_TRUNCATED);
    assert_int_equal(root_read(root, place, bytes, sizeof bytes, &length, NULL), ROOT_TRUNCATED);
    assert_int_equal(length, sizeof bytes);
    assert_memory_equal(bytes, "one\ntwo\n", sizeof bytes);
    assert_int_equal(root_read_i64(root, other, &number, NULL), ROOT_OK);
    assert_int_equal(number, 42);
    assert_int_equal(root_each_line(root, place, 1000, count_lines, &lines, NULL), ROOT_OK);
    assert_int_equal(lines, 3);
    struct raw_text content;
    assert_int_equal(root_read_arena(root, arena, place, 1 << 20, &content, NULL), ROOT_OK);
    assert_int_equal(content.length, 18);

    struct root_file_facts facts, again, folder_facts;
    assert_true(root_file_facts(root, place, &facts) && facts.regular && facts.size_bytes == 18);
    assert_true(facts.inode != 0 && facts.modified_ns > 0);
    place[strlen(place) - 5] = 'B'; /* the same file by another spelling */
    assert_true(root_file_facts(root, place, &again));
    assert_int_equal(again.inode, facts.inode);
    assert_true(root_file_facts(root, folder, &folder_facts) && folder_facts.directory);
    assert_true(root_resolve(root, other, resolved, sizeof resolved));
    assert_true(root_exists(root, resolved));

    assert_int_equal(root_read(root, "C:/no/such/file", bytes, sizeof bytes, &length, &error),
                     ROOT_ABSENT);
    assert_false(root_exists(root, "proc/self/stat"));
    assert_false(root_file_facts(root, "\\\\127.0.0.1\\share\\x", &facts));
    assert_false(root_file_facts(root, "\\\\.\\C:", &facts));
    assert_int_equal(root_read_link(root, other, resolved, sizeof resolved, &length), ROOT_FAILED);

    /* A recorded tree. */
    struct root *tree = root_open(folder);
    assert_non_null(tree);
    assert_true(root_is_recorded(tree) && root_exists(tree, "a.txt"));
    assert_false(root_exists(tree, "../b.txt/../../nothing"));
    root_close(&tree);
    assert_null(root_open("C:/no/such/folder"));
    DeleteFileA(other);
    place[strlen(place) - 5] = 'b';
    DeleteFileA(place);
    RemoveDirectoryA(folder);
    root_close(&root);
    arena_free(&arena);
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals), cmocka_unit_test(test_children),
        cmocka_unit_test(test_trees),   cmocka_unit_test(test_inside),
        cmocka_unit_test(test_files),
    };
    program = words[0];
    if (count > 1 && strcmp(words[1], "fail") == 0)
        return SECRET_STATUS;
    if (count > 1 && strcmp(words[1], "tree") == 0)
        start_plainly();
    if (count > 1) {
        Sleep(60000);
        return 0;
    }
    quit = wake_new();
    return cmocka_run_group_tests_name("windows doors", tests, NULL, NULL);
}
