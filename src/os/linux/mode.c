#include "os/linux/mode.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/lines.h"
#include "os/linux/proc_stat.h"

/* The inode of the first pid namespace, PROC_PID_INIT_INO (include/linux/proc_ns.h). */
#define FIRST_NAMESPACE "pid:[4026531836]"

enum { PROCESSES_MAX = 65536 };

enum namespace_seen { NAMESPACE_UNSEEN, NAMESPACE_FIRST, NAMESPACE_NESTED };

static char folded(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* `word` is in lower case. */
static bool contains_folded(struct raw_text raw, const char *word)
{
    size_t length = strlen(word);
    for (size_t from = 0; from + length <= raw.length; from++) {
        size_t same = 0;
        while (same < length && folded(raw.bytes[from + same]) == word[same])
            same++;
        if (same == length)
            return true;
    }
    return false;
}

/* WSL 2's kernel is called "...-microsoft-standard-WSL2"; that of WSL 1, "4.4.0-19041-Microsoft",
 * has no GPU. Custom kernels may lack the name: /dev/dxg together with WSL's own folder or
 * variables. /dev/dxg alone is also found in other Hyper-V guests. */
static bool is_wsl(const struct root *root, bool environment_says_wsl)
{
    static const char first_kind[] = "-Microsoft";
    char text[256];
    size_t length = 0;
    root_read(root, "proc/sys/kernel/osrelease", text, sizeof text, &length, NULL);
    struct raw_text release = raw_trim((struct raw_text){text, length});
    if (contains_folded(release, "microsoft")) {
        size_t suffix = sizeof first_kind - 1;
        return release.length < suffix ||
               memcmp(release.bytes + release.length - suffix, first_kind, suffix) != 0;
    }
    return root_exists(root, "dev/dxg") && (environment_says_wsl || root_exists(root, "run/WSL"));
}

static enum namespace_seen namespace_of(const struct root *root, const char *process)
{
    char path[64], target[64];
    size_t length;
    snprintf(path, sizeof path, "proc/%.24s/ns/pid", process);
    if (root_read_link(root, path, target, sizeof target, &length) != ROOT_OK)
        return NAMESPACE_UNSEEN;
    return strcmp(target, FIRST_NAMESPACE) == 0 ? NAMESPACE_FIRST : NAMESPACE_NESTED;
}

/* A recorded tree without a folder of our own: whoever sees a process of the first namespace is in
 * it; from inside a container none is seen. */
static enum namespace_seen namespace_of_any(const struct root *root)
{
    enum namespace_seen seen = namespace_of(root, "1");
    if (seen == NAMESPACE_FIRST)
        return seen;
    struct arena *arena = arena_new();
    char **names;
    size_t count;
    root_list(root, arena, "proc", PROCESSES_MAX, &names, &count);
    for (size_t i = 0; i < count && seen != NAMESPACE_FIRST; i++) {
        if (names[i][0] < '0' || names[i][0] > '9')
            continue;
        enum namespace_seen here = namespace_of(root, names[i]);
        if (here != NAMESPACE_UNSEEN)
            seen = here;
    }
    arena_free(&arena);
    return seen;
}

/* Process 2 is the kernel's own only in the first namespace. */
static bool has_kernel_process(const struct root *root)
{
    char text[1024];
    size_t length;
    struct proc_stat stat;
    return root_read(root, "proc/2/stat", text, sizeof text, &length, NULL) == ROOT_OK &&
           proc_stat_parse((struct raw_text){text, length}, &stat) && stat.parent_pid == 0 &&
           raw_equal_string(stat.name, "kthreadd");
}

enum machine_mode mode_detect(const struct root *root, const char *self, bool environment_says_wsl)
{
    if (is_wsl(root, environment_says_wsl))
        return MODE_WSL;
    enum namespace_seen seen = self[0] ? namespace_of(root, self) : NAMESPACE_UNSEEN;
    if (seen == NAMESPACE_UNSEEN && root_is_recorded(root))
        seen = namespace_of_any(root);
    if (seen != NAMESPACE_UNSEEN)
        return seen == NAMESPACE_FIRST ? MODE_NATIVE : MODE_CONTAINER;
    if (has_kernel_process(root))
        return MODE_NATIVE;
    if (root_exists(root, ".dockerenv") || root_exists(root, "run/.containerenv"))
        return MODE_CONTAINER;
    return MODE_NATIVE;
}
