#include "gpu/drm/names.h"

#include <stdio.h>
#include <string.h>

#include "base/lines.h"
#include "gpu/drm/ids_file.h"
#include "gpu/drm/sysfs.h"

enum {
    IDS_FILE_LIMIT = 16 << 20,
    VENDOR_AMD = 0x1002,
    VENDOR_INTEL = 0x8086,
    VENDOR_NVIDIA = 0x10de
};

static const char *const amdgpu_ids_places[] = {
    "usr/share/libdrm/amdgpu.ids",
    "usr/local/share/libdrm/amdgpu.ids",
    "run/host/usr/share/libdrm/amdgpu.ids", /* inside Flatpak */
    "run/current-system/sw/share/libdrm/amdgpu.ids",
    NULL,
};

static const char *const pci_ids_places[] = {
    "usr/share/hwdata/pci.ids",
    "usr/share/misc/pci.ids",
    "usr/share/pci.ids",
    "var/lib/pciutils/pci.ids",
    "usr/share/pciids/pci.ids",
    "run/host/usr/share/hwdata/pci.ids",
    "run/current-system/sw/share/hwdata/pci.ids",
    NULL,
};

struct search {
    const struct name_question *question;
    struct pci_ids_search pci;
    char *out;
    bool found;
};

static bool keep_name(char out[ADAPTER_NAME_SIZE], struct raw_text name)
{
    name = raw_trim(name);
    if (name.bytes == NULL || name.length == 0) {
        return false;
    }
    size_t length = name.length < ADAPTER_NAME_SIZE ? name.length : ADAPTER_NAME_SIZE - 1;
    memcpy(out, name.bytes, length);
    out[length] = '\0';
    return true;
}

static bool take_amdgpu_line(struct raw_text line, void *context)
{
    struct search *search = context;
    struct raw_text name;
    if (amdgpu_ids_line(line, search->question->device, search->question->revision, &name) !=
        IDS_FOUND) {
        return true;
    }
    search->found = keep_name(search->out, name);
    return false;
}

static bool take_pci_line(struct raw_text line, void *context)
{
    struct search *search = context;
    struct raw_text name;
    switch (pci_ids_line(&search->pci, line, &name)) {
    case IDS_FOUND:
        search->found = keep_name(search->out, name);
        return false;
    case IDS_END:
        return false;
    case IDS_GO_ON:
        break;
    }
    return true;
}

static bool search_places(const struct root *root, const char *const *places,
                          bool (*take_line)(struct raw_text line, void *context),
                          const struct name_question *question, char *out)
{
    for (size_t i = 0; places[i] != NULL; i++) {
        struct search search = {.question = question,
                                .pci = {.vendor = question->vendor, .device = question->device},
                                .out = out};
        root_each_line(root, places[i], IDS_FILE_LIMIT, take_line, &search, NULL);
        if (search.found) {
            return true;
        }
    }
    return false;
}

static bool read_product_name(const struct root *root, const char *folder, char *out)
{
    char buffer[ADAPTER_NAME_SIZE * 2];
    struct sysfs_folder device = {.root = root, .path = folder};
    return keep_name(out, sysfs_text(&device, "product_name", buffer, sizeof buffer, NULL));
}

static const char *maker(uint32_t vendor)
{
    switch (vendor) {
    case VENDOR_AMD:
        return "AMD";
    case VENDOR_INTEL:
        return "Intel";
    case VENDOR_NVIDIA:
        return "NVIDIA";
    default:
        return "GPU";
    }
}

void name_find(const struct root *root, const struct name_question *question,
               char out[ADAPTER_NAME_SIZE])
{
    if (question->may_read_product_name && read_product_name(root, question->folder, out)) {
        return;
    }
    if (!question->has_pci_ids) {
        snprintf(out, ADAPTER_NAME_SIZE, "%s",
                 question->compatible[0] != '\0' ? question->compatible : question->driver);
        return;
    }
    if (question->vendor == VENDOR_AMD &&
        search_places(root, amdgpu_ids_places, take_amdgpu_line, question, out)) {
        return;
    }
    if (search_places(root, pci_ids_places, take_pci_line, question, out)) {
        return;
    }
    snprintf(out, ADAPTER_NAME_SIZE, "%s %04x:%04x rev %02x", maker(question->vendor),
             (unsigned)question->vendor, (unsigned)question->device, (unsigned)question->revision);
}
