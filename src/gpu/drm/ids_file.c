#include "gpu/drm/ids_file.h"

#include "base/lines.h"
#include "base/number.h"

enum { ID_DIGITS = 4 };

/* A hexadecimal field, nothing else around it but white space. */
static bool parse_hex_field(struct raw_text field, uint32_t *value)
{
    uint64_t wide;
    field = raw_trim(field);
    if (field.length == 0 || field.length > 8 || !number_parse_hex(field, &wide, NULL)) {
        return false;
    }
    *value = (uint32_t)wide;
    return true;
}

enum ids_answer amdgpu_ids_line(struct raw_text line, uint32_t device, uint32_t revision,
                                struct raw_text *name)
{
    struct raw_text device_field, revision_field, rest;
    uint32_t line_device, line_revision;
    if (line.length == 0 || line.bytes[0] == '#' || !raw_split(line, ',', &device_field, &rest) ||
        !raw_split(rest, ',', &revision_field, &rest) ||
        !parse_hex_field(device_field, &line_device) ||
        !parse_hex_field(revision_field, &line_revision)) {
        return IDS_GO_ON;
    }
    *name = raw_trim(rest);
    return line_device == device && line_revision == revision && name->length > 0 ? IDS_FOUND
                                                                                  : IDS_GO_ON;
}

/* `DDDD  name` at the start of a line. */
static bool parse_entry(struct raw_text line, uint32_t *id, struct raw_text *name)
{
    if (line.length <= ID_DIGITS ||
        (line.bytes[ID_DIGITS] != ' ' && line.bytes[ID_DIGITS] != '\t')) {
        return false;
    }
    *name = raw_trim((struct raw_text){line.bytes + ID_DIGITS, line.length - ID_DIGITS});
    return parse_hex_field((struct raw_text){line.bytes, ID_DIGITS}, id);
}

enum ids_answer pci_ids_line(struct pci_ids_search *search, struct raw_text line,
                             struct raw_text *name)
{
    uint32_t id;
    if (line.length == 0 || line.bytes[0] == '#') {
        return IDS_GO_ON;
    }
    if (line.bytes[0] != '\t') {
        if (search->inside) {
            return IDS_END; /* the vendor's block is over */
        }
        search->inside = parse_entry(line, &id, name) && id == search->vendor;
        return IDS_GO_ON;
    }
    if (!search->inside || line.length < 2 || line.bytes[1] == '\t') {
        return IDS_GO_ON; /* two tabs: a subsystem of the device above */
    }
    struct raw_text entry = {line.bytes + 1, line.length - 1};
    return parse_entry(entry, &id, name) && id == search->device && name->length > 0 ? IDS_FOUND
                                                                                     : IDS_GO_ON;
}
