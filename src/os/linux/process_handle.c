#include "os/linux/process_handle.h"

#include "os/descriptor.h"
#include "os/linux/process_door.h"

static void close_one(int *descriptor, size_t *open_count)
{
    if (*descriptor >= 0) {
        process_door_close(*descriptor);
        --*open_count;
    }
    *descriptor = -1;
}

void process_handle_close(struct process_handle *handle, size_t *open_count)
{
    close_one(&handle->stat, open_count);
    close_one(&handle->end, open_count);
}

int64_t process_handle_read(struct process_handle *handle, size_t *open_count,
                            const struct root *root, int64_t pid, bool watch_end, char *text,
                            size_t size)
{
    bool brief = false;
    if (handle->stat < 0) {
        handle->stat = process_door_open_stat(root, pid);
        if (handle->stat < 0)
            return -1;
        brief = !descriptor_may_be_kept(handle->stat);
        ++*open_count;
    }
    /* Before the reading, which then proves that both are of one process: a number is not given
     * away while its process can still be read. */
    if (watch_end && handle->end < 0 && *open_count < PROCESS_HANDLES_MAX) {
        handle->end = process_door_open_end(pid);
        *open_count += handle->end >= 0;
        if (handle->end >= 0 && !descriptor_may_be_kept(handle->end))
            close_one(&handle->end, open_count);
    }
    int64_t length = process_door_read_stat(handle->stat, text, size);
    bool kept = *open_count <= PROCESS_HANDLES_MAX && !brief;
    if (length <= 0 || !kept)
        process_handle_close(handle, open_count);
    return length;
}
