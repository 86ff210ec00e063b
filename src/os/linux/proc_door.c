#include "os/linux/proc_door.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/number.h"
#include "base/vector.h"
#include "os/clock.h"
#include "os/linux/proc_status.h"

enum {
    PIDS_BUFFER = 64 * 1024,
    DESCRIPTORS_BUFFER = 32 * 1024,
    STAT_SIZE = 2048, /* the longest line Linux prints is about half of it */
    STATUS_SIZE = 8192,
    PATH_SIZE = 48,
    FILES_MAX = 65536,
};

struct proc_door {
    const struct root *root;
    uint64_t generation;
    bool recorded;
    int proc; /* -1: none */
    bool can_count;
    struct {
        struct proc_entry *items;
        size_t count, capacity;
    } entries;
    _Alignas(8) char buffer[PIDS_BUFFER];
};

/* linux_dirent64, as getdents64(2) gives it. */
struct listed {
    uint64_t inode;
    int64_t offset;
    unsigned short size;
    unsigned char type;
    char name[];
};

struct proc_door *proc_door_new(void)
{
    struct proc_door *door = memory_new(sizeof *door);
    door->proc = -1;
    return door;
}

void proc_door_free(struct proc_door **door)
{
    if (!*door)
        return;
    if ((*door)->proc >= 0)
        close((*door)->proc);
    VECTOR_FREE(&(*door)->entries);
    free(*door);
    *door = NULL;
}

static enum proc_access access_of(int error)
{
    switch (root_result_of(error)) {
    case ROOT_ABSENT:
        return PROC_GONE;
    case ROOT_DENIED:
        return PROC_REFUSED;
    case ROOT_OK:
    case ROOT_TRUNCATED:
    case ROOT_FAILED:
        break;
    }
    return PROC_FAILED;
}

static int open_at(int folder, const char *path, int flags)
{
    int descriptor;
    do
        descriptor = openat(folder, path, flags | O_CLOEXEC | O_NOCTTY);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

/* A name that is a number of at most nine digits, or -1. */
static int32_t number_of(const char *name)
{
    int32_t number = 0;
    size_t length = 0;
    for (; name[length] >= '0' && name[length] <= '9'; length++) {
        if (length == 9)
            return -1;
        number = number * 10 + (name[length] - '0');
    }
    return length > 0 && name[length] == '\0' ? number : -1;
}

/* "PID/leaf"; snprintf() would be a tenth of the walk's time. */
static void write_path(char path[PATH_SIZE], int32_t pid, const char *leaf)
{
    char digits[12];
    size_t count = 0, length = 0;
    do
        digits[count++] = (char)('0' + pid % 10);
    while ((pid /= 10) > 0);
    while (count > 0)
        path[length++] = digits[--count];
    path[length++] = '/';
    memcpy(path + length, leaf, strlen(leaf) + 1);
}

/* The next batch of a folder into door->buffer: bytes, 0 at the end, -1 with errno. */
static long list_some(struct proc_door *door, int folder, size_t size)
{
    long got;
    do
        got = syscall(SYS_getdents64, folder, door->buffer, size);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Does st_size of a descriptor folder tell their number? Asked of our own table; another thread may
 * open a file meanwhile, so a few times. */
static bool try_count(struct proc_door *door)
{
    for (int attempt = 0; attempt < 4; attempt++) {
        struct stat about;
        int64_t seen = 0;
        long got;
        int folder = open_at(door->proc, "self/fd", O_RDONLY | O_DIRECTORY);
        if (folder < 0)
            return false;
        while ((got = list_some(door, folder, DESCRIPTORS_BUFFER)) > 0)
            for (long at = 0; at < got; at += ((const struct listed *)(door->buffer + at))->size)
                seen += number_of(((const struct listed *)(door->buffer + at))->name) >= 0;
        bool same = fstat(folder, &about) == 0 && about.st_size == seen && seen > 0;
        close(folder);
        if (same)
            return true;
    }
    return false;
}

bool proc_door_begin(struct proc_door *door, const struct root *root)
{
    if (door->proc >= 0 && door->root == root && door->generation == root_generation(root))
        return true;
    if (door->proc >= 0)
        close(door->proc);
    door->root = root;
    door->generation = root_generation(root);
    door->recorded = root_is_recorded(root);
    door->proc = root_open_descriptor(root, "proc", O_RDONLY | O_DIRECTORY, NULL);
    door->can_count = door->proc >= 0 && !door->recorded && try_count(door);
    return door->proc >= 0;
}

bool proc_door_can_count(const struct proc_door *door)
{
    return door->can_count;
}

int64_t proc_door_clock_ns(const struct proc_door *door)
{
    (void)door;
    return clock_running_ns();
}

static int compare_entries(const void *a, const void *b)
{
    const struct proc_entry *left = a, *right = b;
    return (left->pid > right->pid) - (left->pid < right->pid);
}

bool proc_door_list(struct proc_door *door, const struct proc_entry **entries, size_t *count)
{
    bool sorted = true;
    long got;

    door->entries.count = 0;
    if (lseek(door->proc, 0, SEEK_SET) < 0)
        got = -1;
    else
        while ((got = list_some(door, door->proc, sizeof door->buffer)) > 0)
            for (long at = 0; at < got;) {
                const struct listed *listed = (const void *)(door->buffer + at);
                at += listed->size;
                struct proc_entry entry = {listed->inode, number_of(listed->name)};
                if (entry.pid <= 0)
                    continue;
                sorted = sorted && (door->entries.count == 0 ||
                                    door->entries.items[door->entries.count - 1].pid < entry.pid);
                VECTOR_PUSH(&door->entries, entry);
            }
    if (!sorted)
        qsort(door->entries.items, door->entries.count, sizeof *door->entries.items,
              compare_entries);
    *entries = door->entries.items;
    *count = door->entries.count;
    return got == 0;
}

enum proc_access proc_door_count(struct proc_door *door, int32_t pid, int64_t *count)
{
    char path[PATH_SIZE];
    struct stat about;
    write_path(path, pid, "fd");
    if (fstatat(door->proc, path, &about, 0) != 0)
        return access_of(errno);
    *count = about.st_size;
    return PROC_OK;
}

static void add_file(struct proc_look *look, int32_t number, enum device_class class,
                     uint64_t device_number)
{
    if (look->file_count == FILES_MAX) {
        look->incomplete = true;
        return;
    }
    look->files = vector_reserve(look->files, &look->file_capacity, look->file_count + 1,
                                 sizeof *look->files);
    look->files[look->file_count++] =
        (struct device_file){.fd = number, .class = class, .device_number = device_number};
}

/* A descriptor that is no longer there was closed since the listing: it holds nothing. */
static enum proc_access test_failed(struct proc_look *look, int error)
{
    enum proc_access access = access_of(error);
    if (access != PROC_GONE)
        look->incomplete = true;
    return access;
}

static enum proc_access test_descriptor(struct proc_door *door, struct device_table *table,
                                        int folder, const char *name, int32_t number,
                                        struct proc_look *look)
{
    enum device_class class;
    if (door->recorded) {
        char target[512];
        uint64_t device_number;
        ssize_t got = readlinkat(folder, name, target, sizeof target);
        if (got < 0)
            return test_failed(look, errno);
        if (device_table_class_name(table, (struct raw_text){target, (size_t)got}, &class,
                                    &device_number))
            add_file(look, number, class, device_number);
        return PROC_OK;
    }
    struct stat about;
    if (fstatat(folder, name, &about, 0) != 0)
        return test_failed(look, errno);
    if (S_ISCHR(about.st_mode) &&
        device_table_class(table, major(about.st_rdev), minor(about.st_rdev), &class))
        add_file(look, number, class,
                 device_number_make(major(about.st_rdev), minor(about.st_rdev)));
    return PROC_OK;
}

/* Root without CAP_SYS_PTRACE (in a container) may list a table and follow none of its entries:
 * that is refused as well, and the first entry says so for all. */
static enum proc_access list_descriptors(struct proc_door *door, struct device_table *table,
                                         int folder, struct proc_look *look)
{
    int64_t refused = 0;
    long got;
    while ((got = list_some(door, folder, DESCRIPTORS_BUFFER)) > 0)
        for (long at = 0; at < got;) {
            const struct listed *listed = (const void *)(door->buffer + at);
            int32_t number = number_of(listed->name);
            at += listed->size;
            if (number < 0)
                continue;
            look->descriptor_count++;
            refused +=
                test_descriptor(door, table, folder, listed->name, number, look) == PROC_REFUSED;
            if (refused == 1 && look->descriptor_count == 1 && !door->recorded)
                return PROC_REFUSED;
        }
    if (got < 0) {
        enum proc_access access = access_of(errno);
        if (access != PROC_GONE)
            look->incomplete = true;
        return access;
    }
    return refused > 0 && refused == look->descriptor_count ? PROC_REFUSED : PROC_OK;
}

static ssize_t read_at(int folder, const char *path, char *buffer, size_t size)
{
    int descriptor = open_at(folder, path, O_RDONLY | O_NONBLOCK);
    if (descriptor < 0)
        return -1;
    ssize_t got;
    do
        got = read(descriptor, buffer, size);
    while (got < 0 && errno == EINTR);
    int error = errno;
    close(descriptor);
    errno = error;
    return got;
}

/* Recorded trees may lack the flag in stat and have the line in status. */
static bool status_says_kernel_thread(const struct proc_door *door, int32_t pid)
{
    char path[PATH_SIZE], text[STATUS_SIZE];
    struct proc_status status;
    write_path(path, pid, "status");
    ssize_t got = read_at(door->proc, path, text, sizeof text);
    if (got < 0)
        return false;
    proc_status_parse((struct raw_text){text, (size_t)got}, &status);
    return status.is_kernel_thread;
}

static enum proc_access read_stat(struct proc_door *door, int folder, const char *path, int32_t pid,
                                  struct proc_look *look)
{
    char text[STAT_SIZE];
    struct proc_stat stat;
    ssize_t got = read_at(folder, path, text, sizeof text);
    if (got < 0)
        return access_of(errno);
    if (!proc_stat_parse((struct raw_text){text, (size_t)got}, &stat))
        return got == 0 ? PROC_GONE : PROC_FAILED;
    look->has_stat = true;
    look->start_stamp = stat.start_stamp;
    look->is_zombie = proc_stat_is_zombie(&stat);
    look->is_kernel_thread = proc_stat_is_kernel_thread(&stat) ||
                             (door->recorded && status_says_kernel_thread(door, pid));
    return PROC_OK;
}

/* Without a descriptor table to read: what PID/stat says. */
static enum proc_access look_at_stat(struct proc_door *door, int32_t pid, struct proc_look *look)
{
    char path[PATH_SIZE];
    write_path(path, pid, "stat");
    enum proc_access access = read_stat(door, door->proc, path, pid, look);
    /* hidepid refuses even this: the process is there all the same. */
    return access == PROC_REFUSED && look->table == PROC_REFUSED ? PROC_OK : access;
}

enum proc_access proc_door_look(struct proc_door *door, struct device_table *table, int32_t pid,
                                enum proc_stamp stamp, struct proc_look *look)
{
    char path[PATH_SIZE];

    *look = (struct proc_look){.files = look->files, .file_capacity = look->file_capacity};
    write_path(path, pid, "fd");
    int folder = open_at(door->proc, path, O_RDONLY | O_DIRECTORY);
    if (folder < 0) {
        look->table = access_of(errno);
        if (look->table == PROC_GONE && door->recorded)
            look->table = PROC_OK; /* an empty folder that was not recorded */
        return look->table == PROC_GONE ? PROC_GONE : look_at_stat(door, pid, look);
    }
    look->table = list_descriptors(door, table, folder, look);
    bool refused = look->table == PROC_REFUSED;
    if (refused)
        look->incomplete = false;
    enum proc_access access = look->table == PROC_GONE ? PROC_GONE : PROC_OK;
    if (access == PROC_OK && (stamp == PROC_STAMP_ALWAYS || refused ||
                              look->descriptor_count == 0 || look->file_count > 0))
        access = read_stat(door, folder, "../stat", pid, look);
    close(folder);
    return access;
}
