#include "inspect/containers.h"

#include <string.h>

#include "base/lines.h"
#include "os/linux/cgroup.h"

enum { COMPONENTS_MAX = 64, ID_LENGTH = 64 };

struct path {
    struct raw_text parts[COMPONENTS_MAX];
    size_t count;
};

/* A path longer than any is cut at its front: the innermost counts. */
static void split_path(struct raw_text text, struct path *path)
{
    struct raw_text part;
    path->count = 0;
    while (fields_next(&text, '/', &part)) {
        if (part.length == 0)
            continue;
        if (path->count == COMPONENTS_MAX)
            memmove(path->parts, path->parts + 1, --path->count * sizeof *path->parts);
        path->parts[path->count++] = part;
    }
}

/* Every runtime's ids are whole SHA-256 sums: what is shorter is a name that somebody chose. */
static bool is_hex_id(struct raw_text text)
{
    if (text.length != ID_LENGTH)
        return false;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.bytes[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return false;
    }
    return true;
}

static bool is_number(struct raw_text text)
{
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] < '0' || text.bytes[i] > '9')
            return false;
    return text.length > 0;
}

static bool take_prefix(struct raw_text *text, const char *prefix)
{
    size_t length = strlen(prefix);
    if (!raw_starts_with(*text, prefix))
        return false;
    *text = (struct raw_text){text->bytes + length, text->length - length};
    return true;
}

static bool take_suffix(struct raw_text *text, const char *suffix)
{
    size_t length = strlen(suffix);
    if (text->length < length || memcmp(text->bytes + text->length - length, suffix, length) != 0)
        return false;
    text->length -= length;
    return true;
}

static bool contains(struct raw_text text, const char *word)
{
    while (text.length >= strlen(word)) {
        if (raw_starts_with(text, word))
            return true;
        text = (struct raw_text){text.bytes + 1, text.length - 1};
    }
    return false;
}

/* systemd writes "-" and other characters within a name as "\x2d". */
static struct raw_text unescape(struct arena *arena, struct raw_text text)
{
    char *out = arena_string(arena, text.bytes, text.length);
    size_t length = 0;
    for (size_t i = 0; i < text.length; i++) {
        const char *at = text.bytes + i, *digits = "0123456789abcdef";
        const char *high = NULL, *low = NULL;
        if (text.length - i >= 4 && at[0] == '\\' && at[1] == 'x' && at[2] && at[3]) {
            high = strchr(digits, at[2]);
            low = strchr(digits, at[3]);
        }
        if (high && low) {
            out[length++] = (char)((high - digits) * 16 + (low - digits));
            i += 3;
        } else {
            out[length++] = text.bytes[i];
        }
    }
    return (struct raw_text){out, length};
}

/* "kubepods-burstable-pod1a2b_....slice", "pod1a2b-..." */
static bool pod_of_part(struct arena *arena, struct raw_text part, struct raw_text *pod)
{
    take_suffix(&part, ".slice");
    struct raw_text rest = part;
    if (!take_prefix(&rest, "pod")) {
        size_t at = 0;
        while (at + 4 <= part.length && memcmp(part.bytes + at, "-pod", 4) != 0)
            at++;
        if (!contains(part, "kubepods") || at + 4 > part.length)
            return false;
        rest = (struct raw_text){part.bytes + at + 4, part.length - at - 4};
    }
    if (rest.length == 0)
        return false;
    char *uid = arena_string(arena, rest.bytes, rest.length);
    for (size_t i = 0; i < rest.length; i++) {
        if (uid[i] == '_')
            uid[i] = '-';
        bool plain =
            (uid[i] >= '0' && uid[i] <= '9') || (uid[i] >= 'a' && uid[i] <= 'f') || uid[i] == '-';
        if (!plain)
            return false;
    }
    *pod = (struct raw_text){uid, rest.length};
    return true;
}

static bool find_pod(struct arena *arena, const struct path *path, size_t before,
                     struct raw_text *pod)
{
    for (size_t i = before; i > 0; i--)
        if (pod_of_part(arena, path->parts[i - 1], pod))
            return true;
    return false;
}

static bool is_in_kubernetes(const struct path *path, size_t before)
{
    for (size_t i = 0; i < before; i++)
        if (contains(path->parts[i], "kubepods"))
            return true;
    return false;
}

static void settle(struct arena *arena, const struct path *path, size_t at, const char *runtime,
                   struct raw_text id, struct container_place *place)
{
    *place = (struct container_place){.runtime = runtime, .id = id};
    if (is_in_kubernetes(path, at)) {
        place->runtime = "kubernetes";
        find_pod(arena, path, at, &place->pod);
    }
}

/* Parts that name their runtime: PREFIX ID ".scope". */
static bool named_scope(struct arena *arena, const struct path *path, size_t at,
                        struct container_place *place)
{
    static const struct {
        const char *prefix, *runtime;
    } scopes[] = {
        {"docker-", "docker"}, {"libpod-", "podman"},      {"cri-containerd-", "containerd"},
        {"crio-", "cri-o"},    {"nerdctl-", "containerd"}, {"containerd-", "containerd"},
    };
    struct raw_text part = path->parts[at];
    take_suffix(&part, ".scope");
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
        struct raw_text id = part;
        if (!take_prefix(&id, scopes[i].prefix) || !is_hex_id(id))
            continue;
        settle(arena, path, at, scopes[i].runtime, id, place);
        return true;
    }
    return false;
}

/* "kubepods-...slice:cri-containerd:ID", "system.slice:docker:ID": a runtime that was told systemd
 * names but writes cgroups itself. */
static bool colon_part(struct arena *arena, const struct path *path, size_t at,
                       struct container_place *place)
{
    struct raw_text slice, rest, prefix, id;
    if (!raw_split(path->parts[at], ':', &slice, &rest) || !raw_split(rest, ':', &prefix, &id) ||
        !is_hex_id(id))
        return false;
    const char *runtime = raw_equal_string(prefix, "docker")   ? "docker"
                          : raw_equal_string(prefix, "libpod") ? "podman"
                          : raw_equal_string(prefix, "crio")   ? "cri-o"
                                                               : "containerd";
    *place = (struct container_place){.runtime = runtime, .id = id};
    if (contains(slice, "kubepods") || is_in_kubernetes(path, at)) {
        place->runtime = "kubernetes";
        if (!pod_of_part(arena, slice, &place->pod))
            find_pod(arena, path, at, &place->pod);
    }
    return true;
}

/* A bare id: what it is in says whose it is. */
static bool bare_id(struct arena *arena, const struct path *path, size_t at,
                    struct container_place *place)
{
    static const struct {
        const char *parent, *runtime;
    } parents[] = {
        {"docker", "docker"},        {"buildkit", "docker"},   {"moby", "docker"},
        {"default", "containerd"},   {"k8s.io", "kubernetes"}, {"nerdctl", "containerd"},
        {"libpod_parent", "podman"},
    };
    struct raw_text id = path->parts[at];
    if (!is_hex_id(id))
        return false;
    if (is_in_kubernetes(path, at)) {
        settle(arena, path, at, "kubernetes", id, place);
        return true;
    }
    for (size_t i = 0; at > 0 && i < sizeof parents / sizeof *parents; i++)
        if (raw_equal_string(path->parts[at - 1], parents[i].parent)) {
            settle(arena, path, at, parents[i].runtime, id, place);
            return true;
        }
    if (at < 2 || !raw_equal_string(path->parts[at - 2], "ecs"))
        return false;
    settle(arena, path, at, "docker", id, place);
    return true;
}

static bool lxc_part(const struct path *path, size_t at, struct container_place *place)
{
    struct raw_text name = path->parts[at];
    bool within = at > 0 && (raw_equal_string(path->parts[at - 1], "lxc") ||
                             raw_equal_string(path->parts[at - 1], "lxc.payload"));
    if (!take_prefix(&name, "lxc.payload.") && !within)
        return false;
    if (name.length == 0 || raw_starts_with(name, "lxc.monitor"))
        return false;
    *place = (struct container_place){.runtime = "lxc", .id = name, .name = name};
    return true;
}

/* libvirt and others register virtual machines in the same slice. */
static bool machine_part(struct arena *arena, const struct path *path, size_t at,
                         struct container_place *place)
{
    struct raw_text part = path->parts[at];
    bool scope = take_prefix(&part, "machine-") && take_suffix(&part, ".scope");
    bool service =
        !scope && take_prefix(&part, "systemd-nspawn@") && take_suffix(&part, ".service");
    if ((!scope && !service) || part.length == 0)
        return false;
    struct raw_text name = unescape(arena, part);
    if (raw_starts_with(name, "qemu-") || raw_starts_with(name, "libvirt"))
        return false;
    bool lxc = raw_starts_with(name, "lxc-");
    *place = (struct container_place){
        .runtime = lxc ? "lxc" : "systemd-nspawn", .id = name, .name = name};
    return true;
}

static bool slurm_part(const struct path *path, size_t at, struct container_place *place)
{
    struct raw_text job = path->parts[at];
    bool slurm = false;
    if (!take_prefix(&job, "job_") || !is_number(job))
        return false;
    for (size_t i = 0; i < at; i++)
        slurm |= contains(path->parts[i], "slurm");
    if (slurm)
        *place = (struct container_place){.runtime = "slurm", .id = job};
    return slurm;
}

static bool is_monitor(struct raw_text part)
{
    return raw_starts_with(part, "libpod-conmon-") || raw_starts_with(part, "crio-conmon-") ||
           raw_starts_with(part, "lxc.monitor");
}

static bool container_of_path(struct arena *arena, struct raw_text text,
                              struct container_place *place)
{
    struct path path;
    split_path(text, &path);
    for (size_t at = path.count; at > 0; at--) {
        if (is_monitor(path.parts[at - 1]))
            return false;
        if (named_scope(arena, &path, at - 1, place) || colon_part(arena, &path, at - 1, place) ||
            bare_id(arena, &path, at - 1, place) || lxc_part(&path, at - 1, place) ||
            machine_part(arena, &path, at - 1, place) || slurm_part(&path, at - 1, place))
            return true;
    }
    return false;
}

bool container_of_cgroup(struct arena *arena, struct raw_text cgroup, struct container_place *place)
{
    struct raw_text line, number, rest, controllers, path;
    *place = (struct container_place){.runtime = NULL};
    if (!cgroup.bytes)
        return false;
    if (container_of_path(arena, cgroup_path(cgroup), place))
        return true;
    /* On hybrid systems another hierarchy may say more. */
    while (lines_next(&cgroup, &line))
        if (raw_split(line, ':', &number, &rest) && raw_split(rest, ':', &controllers, &path) &&
            container_of_path(arena, path, place))
            return true;
    return false;
}
