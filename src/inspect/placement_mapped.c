#include <string.h>

#include "inspect/placement.h"

enum { PARTS_MAX = 1024 };

struct range {
    int64_t first, end;
};

static bool is_token_embedding(const struct model_tensor *tensor)
{
    return strcmp(tensor->name, "token_embd.weight") == 0;
}

/* Adds a tensor to the range of its part that stays mapped, or to the copies. */
static bool add(const struct model_file *file, const struct model_tensor *tensor, bool repacks,
                struct range *ranges, int64_t *copies)
{
    bool is_copied = repacks && tensor->repacks && tensor->group != GROUP_INPUT;
    bool is_tied = repacks && tensor->repacks && is_token_embedding(tensor) && file->tied_bytes > 0;
    if (is_copied || is_tied) {
        *copies += tensor->bytes;
    }
    if (is_copied) {
        return true;
    }
    int64_t end;
    if (tensor->part < 0 || tensor->part >= PARTS_MAX ||
        __builtin_add_overflow(tensor->offset, tensor->bytes, &end)) {
        return false;
    }
    struct range *range = &ranges[tensor->part];
    if (range->end == 0 || tensor->offset < range->first) {
        range->first = tensor->offset;
    }
    range->end = end > range->end ? end : range->end;
    return true;
}

bool placement_mapped(const struct model_file *file, bool repacks, int64_t *mapped, int64_t *copies)
{
    struct range ranges[PARTS_MAX];
    struct tensor_cursor cursor = {.started = false};
    memset(ranges, 0, sizeof ranges);
    *mapped = *copies = 0;
    if (!file->tensors_kept || !file->weights_bytes.known || file->incomplete) {
        return false;
    }
    for (const struct model_tensor *tensor; (tensor = model_file_next_tensor(file, &cursor));) {
        if (!add(file, tensor, repacks, ranges, copies)) {
            return false;
        }
    }
    for (size_t i = 0; i < PARTS_MAX; i++) {
        *mapped += ranges[i].end - ranges[i].first;
    }
    return *mapped <= file->file_bytes;
}
