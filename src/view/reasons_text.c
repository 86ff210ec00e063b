#include "view/reasons_text.h"

#include <stdio.h>
#include <string.h>

#include "view/units.h"
#include "view/phrase.h"

/* What a process does that keeps its bytes from being told apart: of one, of several, in short. */
static const struct deed {
    enum reason reason;
    const char *one, *several, *brief;
} deeds[] = {
    {REASON_incomplete_read, "has descriptors that can't be read",
     "have descriptors that can't be read", "has descriptors that can't be read"},
    {REASON_partial_scan, "may share with a process that could not be looked at in time",
     "may share with a process that could not be looked at in time",
     "may share with a process not looked at in time"},
    {REASON_legacy_kernel_no_client_id,
     "runs on a kernel that gives GPU clients no identity (Linux 5.19 and later do)",
     "run on a kernel that gives GPU clients no identity (Linux 5.19 and later do)",
     "the kernel gives GPU clients no identity (Linux 5.19+ does)"},
    {REASON_legacy_kernel_no_drm_shared,
     "runs on a kernel that does not say which buffers are shared (Linux 6.5 and later do)",
     "run on a kernel that does not say which buffers are shared (Linux 6.5 and later do)",
     "the kernel does not say what is shared (Linux 6.5+ does)"},
    {REASON_shared_client, "holds its GPU client together with other processes",
     "hold their GPU client together with other processes", "shares its GPU client"},
    {REASON_shared_buffers, "shares its buffers", "share their buffers", "shares its buffers"},
    {REASON_primary_node, "holds the primary node", "hold the primary node",
     "holds the primary node"},
};

enum { DEED_COUNT = sizeof deeds / sizeof *deeds };

void reason_of_memory(struct reason_set reasons, const char *name, bool plural,
                      char out[REASON_TEXT_SIZE])
{
    struct phrase phrase = phrase_start(out, REASON_TEXT_SIZE);
    size_t left = 0, written = 0;
    for (size_t i = 0; i < DEED_COUNT; i++)
        left += reason_set_has(reasons, deeds[i].reason);
    if (left == 0)
        return;
    phrase_string(&phrase, name);
    for (size_t i = 0; i < DEED_COUNT; i++) {
        if (!reason_set_has(reasons, deeds[i].reason))
            continue;
        left--;
        phrase_string(&phrase, written == 0 ? " " : left == 0 ? " and " : ", ");
        phrase_string(&phrase, plural ? deeds[i].several : deeds[i].one);
        written++;
    }
    phrase_string(&phrase, plural ? ", so their bytes can't be told apart"
                                  : ", so its bytes can't be told apart");
}

bool reason_of_memory_brief(struct reason_set reasons, char out[REASON_TEXT_SIZE])
{
    bool any = false;
    for (size_t i = 0; i < DEED_COUNT; i++)
        any = any || reason_set_has(reasons, deeds[i].reason);
    if (!any)
        return false;
    struct phrase phrase = phrase_start(out, REASON_TEXT_SIZE);
    any = false;
    for (size_t i = 0; i < DEED_COUNT; i++) {
        if (!reason_set_has(reasons, deeds[i].reason))
            continue;
        phrase_string(&phrase, any ? ", " : "");
        phrase_string(&phrase, deeds[i].brief);
        any = true;
    }
    return true;
}

/* The process's name, else its label. */
static void subject(const struct process *process, char *out, size_t size)
{
    struct phrase phrase = phrase_start(out, size);
    if (process->name.size > 0) {
        phrase_text(&phrase, process->name);
        return;
    }
    phrase_string(&phrase, "process ");
    phrase_text(&phrase, process->label);
}

void reason_of_cell(const struct row *row, enum column column, char out[REASON_TEXT_SIZE])
{
    struct phrase phrase = phrase_start(out, REASON_TEXT_SIZE);
    struct cell cell;
    char name[96];
    column_cell(row, column, &cell);
    if (cell.mark != CELL_UNAVAILABLE)
        return;
    subject(row->process, name, sizeof name);
    if (column == COLUMN_vram || column == COLUMN_shared || column == COLUMN_spill)
        reason_of_memory(row->vram_reasons, name, false, out);
    if (out[0] != '\0')
        return;
    phrase_string(&phrase, column_traits(column)->heading);
    phrase_string(&phrase, " of ");
    phrase_string(&phrase, name);
    phrase_string(&phrase, ": ");
    phrase_string(&phrase, reason_words_in(row->mode, column, cell.why));
}

const char *reason_words_in(enum snapshot_mode mode, enum column column, enum reason reason)
{
    bool load = column == COLUMN_gpu || column_is_engine(column);
    if (load && reason == REASON_shared_client)
        return "several processes hold the same GPU client, and one counter can't say who used it";
    return reason_words_on(mode, reason);
}

const char *reason_words_on(enum snapshot_mode mode, enum reason reason)
{
    if (mode == SNAPSHOT_WINDOWS && reason == REASON_not_permitted)
        return "not permitted: run as administrator to see it";
    return reason_words(reason);
}

void reason_of_adapter(const char *figure, enum reason why_not, char out[REASON_TEXT_SIZE])
{
    struct phrase phrase = phrase_start(out, REASON_TEXT_SIZE);
    phrase_string(&phrase, figure);
    phrase_string(&phrase, " n/a: ");
    phrase_string(&phrase, reason_words(why_not));
}

void reason_of_unreadable(const struct process_status *status, char out[REASON_TEXT_SIZE])
{
    struct phrase phrase = phrase_start(out, REASON_TEXT_SIZE);
    if (!status->unreadable.known || status->unreadable.value <= 0)
        return;
    if (status->advice.size > 0) {
        phrase_text(&phrase, status->advice);
        return;
    }
    char number[UNITS_SIZE];
    units_count(status->unreadable.value, number);
    phrase_string(&phrase, number);
    phrase_string(&phrase, status->unreadable.value == 1 ? " process could not be read"
                                                         : " processes could not be read");
    phrase_string(&phrase, ": sudo shows what is in there");
}
