/* What the walk over /proc costs, against the bare loop of system calls (list every descriptor
 * table, fstatat every descriptor). Prints ratios of CPU time measured in this one run:
 *
 *     first look   at most 1.1 of the bare loop
 *     steady state at most 0.25
 *
 * Populations are made with popgen. Usage: walk [REFRESHES] */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "os/linux/fd_walk.h"
#include "os/root.h"

enum { REPEATS = 7, REFRESHES = 48, WARM_UP = 18 };

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

static size_t bare_table(int proc, const char *pid)
{
    char path[300];
    size_t descriptors = 0;
    snprintf(path, sizeof path, "%s/fd", pid);
    int folder = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *table = folder < 0 ? NULL : fdopendir(folder);
    for (const struct dirent *entry; table && (entry = readdir(table));) {
        struct stat about;
        if (entry->d_name[0] == '.')
            continue;
        fstatat(folder, entry->d_name, &about, 0);
        descriptors++;
    }
    if (table)
        closedir(table);
    return descriptors;
}

static size_t bare_loop(size_t *processes)
{
    DIR *proc = opendir("/proc");
    size_t descriptors = 0;
    *processes = 0;
    for (const struct dirent *entry; proc && (entry = readdir(proc));)
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9') {
            ++*processes;
            descriptors += bare_table(dirfd(proc), entry->d_name);
        }
    if (proc)
        closedir(proc);
    return descriptors;
}

static double refresh(struct fd_walk *walk, const struct root *root, struct arena *arena,
                      uint64_t number, bool one_shot)
{
    struct pass pass = {.number = number,
                        .running_ns = INT64_C(1000000000) * (int64_t)(number + 1),
                        .interval_ns = INT64_C(1000000000),
                        .one_shot = one_shot};
    struct walk_reading reading;
    arena_reset(arena);
    double before = cpu_ms();
    fd_walk_run(walk, root, &pass, arena, &reading);
    return cpu_ms() - before;
}

int main(int argc, char **argv)
{
    int refreshes = argc > 1 ? atoi(argv[1]) : REFRESHES;
    if (refreshes <= WARM_UP || refreshes > 10000)
        return 2;
    struct root *root = root_open("/");
    struct arena *arena = arena_new();
    double bare[REPEATS], first[REPEATS];
    size_t processes = 0, descriptors = bare_loop(&processes);
    for (int i = 0; i < REPEATS; i++) {
        double before = cpu_ms();
        bare_loop(&processes);
        bare[i] = cpu_ms() - before;
        struct fd_walk *walk = fd_walk_new();
        first[i] = refresh(walk, root, arena, 0, true);
        fd_walk_free(&walk);
    }
    double *steady = malloc((size_t)refreshes * sizeof *steady);
    if (!steady)
        return 1;
    struct fd_walk *walk = fd_walk_new();
    size_t count = 0;
    for (int i = 0; i < refreshes; i++) {
        double took = refresh(walk, root, arena, (uint64_t)i, false);
        if (i >= WARM_UP)
            steady[count++] = took;
    }
    double loop = median(bare, REPEATS);
    printf(
        "%zu processes, %zu descriptors: bare loop %.3f ms, first look %.3f, steady state %.3f\n",
        processes, descriptors, loop, median(first, REPEATS) / loop, median(steady, count) / loop);
    fd_walk_free(&walk);
    arena_free(&arena);
    root_close(&root);
    free(steady);
    return 0;
}
