#include "inspect/devices.h"

#include <string.h>

#include "base/lines.h"
#include "base/number.h"
#include "inspect/device_search.h"
#include "inspect/log_text.h"

static const struct device_family families[] = {
    {"CUDA", "nvidia"}, {"ROCm", "amd"},     {"HIP", "amd"},     {"SYCL", "intel"},
    {"MTL", "apple"},   {"Metal", "apple"},  {"CANN", "huawei"}, {"Vulkan", NULL},
    {"OpenCL", NULL},   {"GPUOpenCL", NULL}, {"GPU", NULL},
};

static bool contains_folded(struct raw_text raw, struct raw_text part)
{
    for (; part.length && raw.length >= part.length; raw.bytes++, raw.length--) {
        if (raw_starts_folded(raw, part)) {
            return true;
        }
    }
    return false;
}

/* ---- by name: the bus id and the words that the load log gives */

/* "00000000:01:00.0" and "0000:01:00.0" are the same address. */
static bool is_address(struct text id, struct raw_text bus_id)
{
    static const char pci[] = "pci:";
    size_t start = sizeof pci - 1;
    if (id.size <= start || memcmp(id.utf8, pci, start) != 0) {
        return false;
    }
    struct raw_text address = {id.utf8 + start, id.size - start};
    while (bus_id.length > address.length && *bus_id.bytes == '0') {
        bus_id.bytes++;
        bus_id.length--;
    }
    return bus_id.length == address.length && raw_starts_folded(bus_id, address);
}

static struct device_found by_bus_id(const struct device_search *search)
{
    for (size_t i = 0; i < search->scene->adapter_count; i++) {
        if (is_address(search->scene->adapters[i].id, search->logged->bus_id)) {
            return device_on(&search->scene->adapters[i], "its load log names the bus address");
        }
    }
    return device_ambiguous("no adapter here has the bus address that its load log names");
}

/* The one candidate whose name the log's description holds, or holds it; NULL: none or several. */
static const struct adapter *by_description(const struct device_search *search)
{
    const struct adapter *found = NULL;
    struct raw_text words = search->logged ? search->logged->description : (struct raw_text){0};
    for (size_t i = 0; i < search->count && words.length >= 4; i++) {
        struct text name = search->candidates[i]->name;
        struct raw_text raw_name = {name.utf8, name.size};
        if (contains_folded(words, raw_name) || contains_folded(raw_name, words)) {
            if (found) {
                return NULL;
            }
            found = search->candidates[i];
        }
    }
    return found;
}

static bool is_software(struct raw_text description)
{
    struct raw_text rest;
    return log_find(description, "llvmpipe", &rest) || log_find(description, "lavapipe", &rest);
}

/* ---- the name itself */

static bool is_candidate(const struct adapter *adapter, const struct device_family *family)
{
    struct raw_text vendor = {adapter->vendor.utf8, adapter->vendor.size};
    return text_is_none(adapter->parent) &&
           (!family->vendor || raw_equal_string(vendor, family->vendor));
}

static void find_candidates(struct device_search *search)
{
    const struct device_scene *scene = search->scene;
    for (size_t i = 0; i < scene->adapter_count && search->count < DEVICE_CANDIDATES_MAX; i++) {
        const struct adapter *adapter = &scene->adapters[i];
        if (!is_candidate(adapter, search->family)) {
            continue;
        }
        size_t at = search->count++;
        while (at > 0 && text_compare(search->candidates[at - 1]->id, adapter->id) > 0) {
            search->candidates[at] = search->candidates[at - 1];
            at--;
        }
        search->candidates[at] = adapter;
    }
}

/* "CUDA1" is CUDA and 1, "CUDA_Split" is CUDA without a number. */
static const struct device_family *split_name(struct raw_text name, struct measured *index)
{
    size_t letters = 0;
    uint64_t number;
    struct raw_text family, rest;
    while (letters < name.length && name.bytes[letters] > '9' && name.bytes[letters] != '_') {
        letters++;
    }
    family = (struct raw_text){name.bytes, letters};
    rest = (struct raw_text){name.bytes + letters, name.length - letters};
    bool counted = number_parse_u64(rest, &number, &letters) && number <= INT32_MAX &&
                   rest.length == letters; /* "CUDA0_Split" is on more than CUDA0 */
    *index = counted ? measured_known((int64_t)number) : measured_unknown(REASON_not_reported);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (raw_equal_string(family, families[i].name)) {
            return &families[i];
        }
    }
    return NULL;
}

static struct device_found by_own_index(const struct device_search *search)
{
    for (size_t i = 0; i < search->scene->adapter_count; i++) {
        const struct adapter *adapter = &search->scene->adapters[i];
        if (search->index.known && adapter->index == search->index.value) {
            return device_on(adapter, "by its index");
        }
        if (!search->index.known && text_equal(adapter->id, search->scene->only_adapter_id)) {
            return device_on(adapter, "the only adapter that the process uses");
        }
    }
    return !search->index.known && search->count == 1
               ? device_on(search->candidates[0], "the only adapter that it can be")
               : device_ambiguous("the log does not say which device");
}

static void find_logged(struct device_search *search)
{
    for (size_t i = 0; i < search->scene->logged_count; i++) {
        const struct load_device *logged = &search->scene->logged[i];
        if (logged->name.length == search->name.length &&
            memcmp(logged->name.bytes, search->name.bytes, search->name.length) == 0) {
            search->logged = logged;
        }
    }
}

/* The adapter behind the name of a device of this machine. */
static struct device_found find_adapter(const struct device_search *search)
{
    if (search->logged && search->logged->bus_id.length) {
        return by_bus_id(search);
    }
    if (search->logged && is_software(search->logged->description)) {
        return (struct device_found){.place = DEVICE_HOST, .reason = TEXT("a software renderer")};
    }
    if (strcmp(search->family->name, "GPU") == 0) {
        return by_own_index(search);
    }
    if (search->count == 0) {
        return device_ambiguous("no adapter of its kind is seen here");
    }
    const struct adapter *described = by_description(search);
    return described ? device_on(described, "its load log names the adapter")
                     : device_by_order(search);
}

/* A process on a card that is cut into MIG instances is on one of them. */
static struct device_found in_instance(const struct device_search *search,
                                       struct device_found found)
{
    const struct device_scene *scene = search->scene;
    const struct adapter *instance = NULL;
    struct raw_text word;
    size_t count = 0;
    for (size_t i = 0; i < scene->adapter_count && found.place == DEVICE_ADAPTER; i++) {
        if (text_equal(scene->adapters[i].parent, found.adapter->id)) {
            instance = &scene->adapters[i];
            count++;
        }
    }
    if (count == 0) {
        return found;
    }
    if (device_word_at(scene->variables.cuda_visible_devices, search->index.value, &word) &&
        raw_starts_with(word, "MIG-")) {
        return device_by_word(search, word);
    }
    return count == 1 ? device_on(instance, "the only instance of its card")
                      : device_ambiguous("its card is cut into several instances");
}

struct device_found device_find(struct arena *arena, const struct device_scene *scene,
                                struct raw_text name)
{
    struct device_search search = {.scene = scene, .name = load_buffer_device(name)};
    if (load_buffer_is_host(name) || raw_equal_string(name, "host")) {
        return (struct device_found){.place = DEVICE_HOST, .reason = TEXT("system memory")};
    }
    if (raw_starts_with(name, "RPC")) {
        struct raw_text at;
        bool named = log_find(name, "[", &at);
        return (struct device_found){
            .place = DEVICE_REMOTE,
            .reason = named ? text_from_raw(arena, log_until_last(at, ']'))
                            : TEXT("a device of another process, over the network")};
    }
    search.family = search.name.length ? split_name(search.name, &search.index) : NULL;
    if (!search.family) {
        return device_ambiguous("the runtime's name for the device is not known");
    }
    find_logged(&search);
    find_candidates(&search);
    return in_instance(&search, find_adapter(&search));
}
