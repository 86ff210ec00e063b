#include "view/host_words.h"

const struct source_status *host_source(const struct snapshot *snapshot)
{
    for (size_t i = 0; snapshot->mode == SNAPSHOT_WSL && i < snapshot->source_count; i++)
        if (text_equal_string(snapshot->sources[i].name, "windows"))
            return &snapshot->sources[i];
    return NULL;
}

const char *host_words(const struct snapshot *snapshot)
{
    static const char *const words[SOURCE_STATE_COUNT] = {
        [SOURCE_ABSENT] = "Windows off",    [SOURCE_OK] = "Windows live",
        [SOURCE_OFF] = "Windows off",       [SOURCE_STARTING] = "Windows starting",
        [SOURCE_STALE] = "Windows stale",   [SOURCE_PARTIAL] = "Windows live",
        [SOURCE_FAILED] = "Windows failed",
    };
    const struct source_status *source = host_source(snapshot);
    if (!source)
        return NULL;
    if (source->has_code && source->code == REASON_no_interop)
        return "no interop";
    return (unsigned)source->state < SOURCE_STATE_COUNT ? words[source->state] : NULL;
}
