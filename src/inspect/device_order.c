#include "inspect/device_search.h"

#include <string.h>

#include "base/lines.h"
#include "base/number.h"

struct device_found device_ambiguous(const char *why)
{
    return (struct device_found){.place = DEVICE_AMBIGUOUS, .reason = {why, strlen(why)}};
}

struct device_found device_on(const struct adapter *adapter, const char *why)
{
    return (struct device_found){
        .place = DEVICE_ADAPTER, .adapter = adapter, .reason = {why, strlen(why)}};
}

static bool equal_folded(char a, char b)
{
    return (a >= 'A' && a <= 'Z' ? a + 32 : a) == (b >= 'A' && b <= 'Z' ? b + 32 : b);
}

bool raw_starts_folded(struct raw_text raw, struct raw_text start)
{
    if (start.length == 0 || raw.length < start.length) {
        return false;
    }
    for (size_t i = 0; i < start.length; i++) {
        if (!equal_folded(raw.bytes[i], start.bytes[i])) {
            return false;
        }
    }
    return true;
}

static bool same_names(const struct device_search *search)
{
    for (size_t i = 1; i < search->count; i++) {
        if (!text_equal(search->candidates[0]->name, search->candidates[i]->name)) {
            return false;
        }
    }
    return true;
}

static bool same_kinds(const struct device_search *search)
{
    for (size_t i = 1; i < search->count; i++) {
        if (search->candidates[0]->kind != search->candidates[i]->kind) {
            return false;
        }
    }
    return true;
}

/* True when the runtime surely counts the candidates in the order of their addresses. CUDA counts
 * the fastest first unless told otherwise; equal cards are counted by address either way. */
static bool order_is_certain(const struct device_search *search)
{
    if (search->count < 2) {
        return true;
    }
    if (strcmp(search->family->name, "CUDA") == 0) {
        return same_names(search) ||
               raw_equal_string(search->scene->variables.cuda_device_order, "PCI_BUS_ID");
    }
    bool amd = search->family->vendor && strcmp(search->family->vendor, "amd") == 0;
    return amd && same_kinds(search);
}

/* The device that one word of a *_VISIBLE_DEVICES list names. */
struct device_found device_by_word(const struct device_search *search, struct raw_text word)
{
    uint64_t index;
    if (number_parse_u64(word, &index, NULL)) {
        if (index >= search->count) {
            return device_ambiguous("its environment names a device that is not seen here");
        }
        return order_is_certain(search)
                   ? device_on(search->candidates[index], "its environment names the device")
                   : device_ambiguous("its environment counts unlike cards in an order of its own");
    }
    const struct adapter *found = NULL;
    for (size_t i = 0; i < search->scene->adapter_count && word.length >= 8; i++) {
        struct text uuid = search->scene->adapters[i].uuid;
        struct raw_text raw_uuid = {uuid.utf8, uuid.size};
        if (raw_starts_folded(raw_uuid, word)) {
            if (found) {
                return device_ambiguous("its environment names the beginning of two ids");
            }
            found = &search->scene->adapters[i];
        }
    }
    return found ? device_on(found, "its environment names the id")
                 : device_ambiguous("its environment names an id that is not seen here");
}

/* The word at `index`; a word that names nothing ends CUDA's list. */
bool device_word_at(struct raw_text list, int64_t index, struct raw_text *word)
{
    for (int64_t i = 0; fields_next(&list, ',', word); i++) {
        *word = raw_trim(*word);
        if (word->length == 0 || *word->bytes == '-') {
            return false;
        }
        if (i == index) {
            return true;
        }
    }
    return false;
}

/* HIP_VISIBLE_DEVICES counts what ROCR_VISIBLE_DEVICES has left. */
static struct device_found by_lists(const struct device_search *search, struct raw_text outer,
                                    struct raw_text inner)
{
    struct raw_text word = {0};
    int64_t index = search->index.value;
    if (outer.bytes) {
        if (!device_word_at(outer, index, &word)) {
            return device_ambiguous("its environment hides the device");
        }
        uint64_t next;
        if (!inner.bytes || !number_parse_u64(word, &next, NULL)) {
            return device_by_word(search, word);
        }
        index = next <= INT32_MAX ? (int64_t)next : INT32_MAX;
    }
    if (!device_word_at(inner, index, &word)) {
        return device_ambiguous("its environment hides the device");
    }
    return device_by_word(search, word);
}

struct device_found device_by_order(const struct device_search *search)
{
    const struct device_variables *variables = &search->scene->variables;
    const char *family = search->family->name;
    bool amd = search->family->vendor && strcmp(search->family->vendor, "amd") == 0;
    if (!search->index.known && search->count > 1) {
        return device_ambiguous("its rows are spread over several devices");
    }
    if (strcmp(family, "CUDA") == 0 && variables->cuda_visible_devices.bytes) {
        return by_lists(search, variables->cuda_visible_devices, (struct raw_text){0});
    }
    struct raw_text hip = variables->hip_visible_devices.bytes ? variables->hip_visible_devices
                                                               : variables->cuda_visible_devices;
    if (amd && (hip.bytes || variables->rocr_visible_devices.bytes)) {
        return by_lists(search, hip, variables->rocr_visible_devices);
    }
    if (search->index.value >= (int64_t)search->count) {
        return device_ambiguous("the runtime sees more devices than are seen here");
    }
    if (search->count == 1) {
        return device_on(search->candidates[0], "the only adapter that it can be");
    }
    if (!variables->known) {
        return device_ambiguous("several adapters fit, and its environment could not be read");
    }
    return order_is_certain(search)
               ? device_on(search->candidates[search->index.value], "by the runtime's order")
               : device_ambiguous("several adapters fit, and the runtime's order is not certain");
}
