#include "os/linux/process_wanted.h"

#include <stdlib.h>

#include "base/arena.h"

static int compare_wanted(const void *a, const void *b)
{
    const struct wanted_pid *left = a, *right = b;
    return (left->pid > right->pid) - (left->pid < right->pid);
}

static bool holds_nvidia(const struct walked_process *walked)
{
    for (size_t i = 0; i < walked->device_file_count; i++) {
        enum device_class class = walked->device_files[i].class;
        if (class == DEVICE_NVIDIA || class == DEVICE_NVIDIA_CONTROL || class == DEVICE_DXG)
            return true;
    }
    return false;
}

struct wanted_pid *processes_wanted(struct arena *arena, const struct system_request *request,
                                    const struct walk_reading *walk, size_t *count)
{
    struct wanted_pid *all =
        ARENA_ARRAY(arena, struct wanted_pid, request->pid_count + walk->process_count);
    size_t filled = 0;
    for (size_t i = 0; i < request->pid_count; i++)
        all[filled++] = (struct wanted_pid){request->pids[i], true, request->look_for_cuda, 0};
    for (size_t i = 0; i < walk->process_count; i++)
        if (walk->processes[i].device_file_count > 0)
            all[filled++] =
                (struct wanted_pid){walk->processes[i].identity.pid, false,
                                    request->look_for_cuda && holds_nvidia(&walk->processes[i]),
                                    walk->processes[i].device_file_count};
    if (filled > 0)
        qsort(all, filled, sizeof *all, compare_wanted);
    *count = 0;
    for (size_t i = 0; i < filled; i++) {
        if (*count > 0 && all[*count - 1].pid == all[i].pid) {
            all[*count - 1].asked |= all[i].asked;
            all[*count - 1].look_for_cuda |= all[i].look_for_cuda;
            all[*count - 1].device_file_count += all[i].device_file_count;
        } else {
            all[(*count)++] = all[i];
        }
    }
    return all;
}
