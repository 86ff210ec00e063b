#include "gpu/drm/pci_link.h"

#include <stdio.h>
#include <string.h>

#include "base/lines.h"
#include "base/number.h"
#include "gpu/drm/gpu_metrics.h"

enum { STEPS_MAX = 2, VENDOR_AMD = 0x1002, VENDOR_AMD_BRIDGE = 0x1022 };

struct measured pci_link_parse_speed(struct raw_text text)
{
    uint64_t whole, tenths = 0;
    size_t used;
    text = raw_trim(text);
    if (!number_parse_u64(text, &whole, &used) || whole > 1000) {
        return measured_unknown(REASON_not_reported);
    }
    struct raw_text rest = {text.bytes + used, text.length - used};
    if (rest.length >= 2 && rest.bytes[0] == '.' && rest.bytes[1] >= '0' && rest.bytes[1] <= '9') {
        tenths = (uint64_t)(rest.bytes[1] - '0');
        rest = (struct raw_text){rest.bytes + 2, rest.length - 2};
    }
    if (!raw_starts_with(raw_trim(rest), "GT/s")) {
        return measured_unknown(REASON_not_reported);
    }
    return measured_known((int64_t)(whole * 10 + tenths));
}

static bool read_id(const struct root *root, const char *folder, const char *file, uint64_t *value)
{
    char path[SYSFS_PATH_SIZE];
    return sysfs_path(path, folder, file) && root_read_hex(root, path, value, NULL) == ROOT_OK;
}

/* Cuts the last part off; false when nothing would be left. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return false;
    }
    *slash = '\0';
    return true;
}

/* A bridge directly below "pciDDDD:BB" is a root port: the board's, not the card's. */
static bool is_below_root_complex(const char *folder)
{
    char parent[SYSFS_PATH_SIZE];
    snprintf(parent, sizeof parent, "%s", folder);
    if (!go_up(parent)) {
        return true;
    }
    const char *name = strrchr(parent, '/');
    name = name == NULL ? parent : name + 1;
    return strncmp(name, "pci", 3) == 0;
}

static bool is_bridge_of_card(const struct root *root, const char *folder, uint32_t gpu_vendor)
{
    uint64_t class, vendor, device;
    if (!read_id(root, folder, "class", &class) || class >> 8 != 0x0604 ||
        is_below_root_complex(folder) || !read_id(root, folder, "vendor", &vendor)) {
        return false;
    }
    if (vendor == gpu_vendor) {
        return true;
    }
    /* Vega's switch carries the vendor id of AMD's processors. */
    return gpu_vendor == VENDOR_AMD && vendor == VENDOR_AMD_BRIDGE &&
           read_id(root, folder, "device", &device) && (device == 0x1470 || device == 0x1471);
}

void pci_link_find(const struct root *root, const char *folder, uint32_t gpu_vendor,
                   char out[SYSFS_PATH_SIZE])
{
    char path[SYSFS_PATH_SIZE];
    snprintf(path, sizeof path, "%s", folder);
    snprintf(out, SYSFS_PATH_SIZE, "%s", folder);
    for (int step = 0; step < STEPS_MAX; step++) {
        if (!go_up(path) || !is_bridge_of_card(root, path, gpu_vendor)) {
            return;
        }
        snprintf(out, SYSFS_PATH_SIZE, "%s", path);
    }
}

static struct said generation(const struct sysfs_folder *folder, const char *file)
{
    char buffer[64];
    enum reason why = REASON_not_reported;
    struct raw_text text = sysfs_text(folder, file, buffer, sizeof buffer, &why);
    struct measured speed = text.bytes == NULL ? measured_unknown(why) : pci_link_parse_speed(text);
    if (!speed.known) {
        return said_unknown(speed.why_not);
    }
    int value = pcie_generation(speed.value);
    return value > 0 ? said_measured(value) : said_unknown(REASON_not_reported);
}

static struct said width(const struct sysfs_folder *folder, const char *file)
{
    struct measured lanes = sysfs_number(folder, file);
    if (!lanes.known) {
        return said_unknown(lanes.why_not);
    }
    /* 0, 63 and 255 are what is read where there is no link, or none any more. */
    return pcie_width_is_credible(lanes.value) ? said_measured(lanes.value)
                                               : said_unknown(REASON_not_reported);
}

void pci_link_read(const struct sysfs_folder *link, bool maximum, struct adapter_reading *out)
{
    out->pcie_generation = generation(link, "current_link_speed");
    out->pcie_width = width(link, "current_link_width");
    if (maximum) {
        struct sysfs_folder once = {.root = link->root, .path = link->path};
        out->pcie_max_generation = generation(&once, "max_link_speed");
        out->pcie_max_width = width(&once, "max_link_width");
    }
}

void pci_link_set_unknown(struct adapter_reading *out, enum reason why)
{
    out->pcie_generation = out->pcie_width = said_unknown(why);
    out->pcie_max_generation = out->pcie_max_width = said_unknown(why);
}
