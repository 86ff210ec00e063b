#include "reading/identity.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/lines.h"
#include "base/number.h"

static const struct {
    const char *name;   /* in an id */
    const char *prefix; /* on screen */
} namespaces[] = {
    [NAMESPACE_LOCAL] = {"local", ""},
    [NAMESPACE_HOST] = {"host", "H:"},
    [NAMESPACE_WINDOWS] = {"windows", "W:"},
};

enum { NAMESPACE_COUNT = sizeof namespaces / sizeof namespaces[0] };

static uint32_t namespace_checked(uint32_t space)
{
    return space < NAMESPACE_COUNT ? space : NAMESPACE_LOCAL;
}

void identity_format(struct identity identity, char out[IDENTITY_ID_SIZE])
{
    const char *space = namespaces[namespace_checked(identity.space)].name;

    if (identity.start_stamp == IDENTITY_NO_STAMP)
        snprintf(out, IDENTITY_ID_SIZE, "%s/%" PRId64 "/?", space, identity.pid);
    else
        snprintf(out, IDENTITY_ID_SIZE, "%s/%" PRId64 "/%" PRIu64, space, identity.pid,
                 identity.start_stamp);
}

/* Only what identity_format() writes: no blanks, no signs, no leading zeros, so that equal
 * identities have equal ids. */
static bool is_plain_number(struct raw_text raw)
{
    if (raw.length == 0 || (raw.bytes[0] == '0' && raw.length > 1))
        return false;
    for (size_t i = 0; i < raw.length; i++)
        if (raw.bytes[i] < '0' || raw.bytes[i] > '9')
            return false;
    return true;
}

bool identity_parse(const char *id, struct identity *identity)
{
    struct raw_text space, rest, pid_text, stamp_text;
    struct identity parsed = {.start_stamp = IDENTITY_NO_STAMP, .space = NAMESPACE_COUNT};

    if (!raw_split(raw_from_string(id), '/', &space, &rest) ||
        !raw_split(rest, '/', &pid_text, &stamp_text))
        return false;
    for (uint32_t i = 0; i < NAMESPACE_COUNT; i++)
        if (raw_equal_string(space, namespaces[i].name))
            parsed.space = i;
    if (parsed.space == NAMESPACE_COUNT || !is_plain_number(pid_text) ||
        !number_parse_i64(pid_text, &parsed.pid, NULL))
        return false;
    if (!raw_equal_string(stamp_text, "?") &&
        (!is_plain_number(stamp_text) || !number_parse_u64(stamp_text, &parsed.start_stamp, NULL) ||
         parsed.start_stamp == IDENTITY_NO_STAMP))
        return false;
    *identity = parsed;
    return true;
}

void identity_label(struct identity identity, char out[IDENTITY_ID_SIZE])
{
    snprintf(out, IDENTITY_ID_SIZE, "%s%" PRId64,
             namespaces[namespace_checked(identity.space)].prefix, identity.pid);
}
