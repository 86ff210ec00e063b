#include "os/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fatal.h"
#include "os/macos/host.h"
#include "os/macos/inside.h"
#include "os/macos/macos.h"
#include "os/macos/users.h"

struct live {
    struct macos_host *host;
    struct macos_users *users;
    struct root *root;
};

static void close_live(void *context)
{
    struct live *live = context;
    macos_host_free(&live->host);
    macos_users_free(&live->users);
    root_close(&live->root);
    free(live);
}

static bool is_wanted(const struct macos_process_details *details, int64_t pid)
{
    for (size_t i = 0; i < details->count; i++)
        if (details->pids[i] == pid)
            return true;
    return false;
}

static void read_list(void *context, uint64_t sample, struct arena *arena,
                      const struct macos_process_details *details, struct macos_process_list *list)
{
    const struct live *live = context;
    (void)sample;
    macos_process_list_read(arena, details, list);
    struct macos_process *named = ARENA_ARRAY(arena, struct macos_process, list->count);
    for (size_t i = 0; i < list->count; i++) {
        named[i] = list->processes[i];
        if (is_wanted(details, named[i].pid))
            named[i].user = macos_users_name(live->users, named[i].uid);
    }
    list->processes = named;
}

static void read_host(void *context, uint64_t sample, struct arena *arena,
                      struct host_reading *host)
{
    const struct live *live = context;
    (void)sample;
    macos_host_read(live->host, arena, host);
}

bool system_machine_open(struct machine **machine, const struct sample_script *script,
                         struct problem *problem)
{
    *machine = NULL;
    if (script && script->tree_count > 0)
        return problem_set(problem, "GPUTASKMAN_SYSROOT: a recorded Linux machine is run on Linux");
    struct root *root = root_open("/");
    if (!root)
        return problem_set(problem, "cannot open /: %s", strerror(errno));
    struct live *live = memory_new(sizeof *live);
    live->host = macos_host_new();
    live->users = macos_users_new();
    live->root = root;
    const struct macos_source source = {
        .context = live, .close = close_live, .list = read_list, .host = read_host};
    *machine = macos_machine_new(&source, getpid());
    (*machine)->inside = macos_inside(root);
    return true;
}
