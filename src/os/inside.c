#include "os/inside.h"

bool inside_no_descriptor(const struct inside *inside, struct arena *arena, int64_t pid, int fd,
                          struct process_descriptor *descriptor)
{
    (void)inside, (void)arena, (void)pid, (void)fd;
    *descriptor = (struct process_descriptor){.position = measured_unknown(REASON_not_supported)};
    return false;
}

void inside_no_prefix(const struct inside *inside, int64_t pid, char *prefix, size_t size)
{
    (void)inside, (void)pid;
    if (size > 0)
        prefix[0] = '\0';
}

int64_t inside_same_pid(const struct inside *inside, int64_t pid)
{
    (void)inside;
    return pid;
}

enum listening_answer inside_no_listening(const struct inside *inside, int64_t pid,
                                          bool (*take)(const struct listening_socket *socket,
                                                       void *context),
                                          void *context)
{
    (void)inside, (void)pid, (void)take, (void)context;
    return LISTENING_UNKNOWN;
}

bool inside_no_socket(const struct inside *inside, struct identity identity,
                      const struct open_socket *socket)
{
    (void)inside, (void)identity, (void)socket;
    return false;
}
