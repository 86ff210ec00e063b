#include "view/memory_map.h"

#include <stdio.h>

#include "view/phrase.h"

const char *memory_map_note(enum map_note note)
{
    switch (note) {
    case MAP_NOTE_PARTS_CUT:
        return "a model's parts add up to more than its process holds: cut at the process's edge";
    case MAP_NOTE_ABOVE_USED:
        return "the processes add up to more than the adapter's use: the two were read at two "
               "moments";
    case MAP_NOTE_ABOVE_TOTAL:
        return "the processes add up to more than the adapter's memory: the last ones are cut";
    case MAP_NOTE_INFERRED_CUT:
        return "matched sizes add up to more than is in use: cut";
    }
    return "";
}

const char *segment_class_words(enum segment_class class)
{
    switch (class) {
    case SEGMENT_MODEL:
        return "models";
    case SEGMENT_COMPUTE:
        return "compute";
    case SEGMENT_GAME:
        return "games";
    case SEGMENT_BROWSER:
        return "browsers";
    case SEGMENT_COMPOSITOR:
        return "desktop";
    case SEGMENT_VIDEO:
        return "video";
    case SEGMENT_OTHER:
        return "other";
    case SEGMENT_UNATTRIBUTED:
        return "unattributed";
    case SEGMENT_UNKNOWN:
        return "unknown";
    case SEGMENT_RESERVED:
        return "reserved";
    case SEGMENT_FREE:
        return "free";
    case SEGMENT_CLASS_COUNT:
        break;
    }
    return "";
}

const char *segment_part_words(enum segment_part part)
{
    switch (part) {
    case PART_WEIGHTS:
        return "weights";
    case PART_KV_CACHE:
        return "KV cache";
    case PART_COMPUTE:
        return "compute";
    case PART_OTHER:
        return "other";
    case PART_UNEXPLAINED:
        return "unexplained";
    case PART_WHOLE:
    case PART_COUNT:
        break;
    }
    return "";
}

/* Process and part, or the class for what is nobody's. */
void segment_label(const struct segment *segment, char out[SEGMENT_LABEL_SIZE])
{
    struct phrase phrase = phrase_start(out, SEGMENT_LABEL_SIZE);
    if (segment->joined > 0) {
        snprintf(out, SEGMENT_LABEL_SIZE, "%zu more", segment->joined);
        return;
    }
    if (segment->process == NULL) {
        phrase_string(&phrase, segment_class_words(segment->class));
        return;
    }
    if (segment->model != NULL && segment->model->name.size > 0)
        phrase_text(&phrase, segment->model->name);
    else if (segment->process->name.size > 0)
        phrase_text(&phrase, segment->process->name);
    else {
        /* "H:645400" says what it is. */
        bool bare = segment->process->label.size > 0 && segment->process->label.utf8[0] <= '9';
        phrase_string(&phrase, bare ? "pid " : "");
        phrase_text(&phrase, segment->process->label);
    }
    if (segment->part != PART_WHOLE) {
        phrase_string(&phrase, " ");
        phrase_string(&phrase, segment_part_words(segment->part));
    }
}

void segment_label_after(const struct segment *segment, const struct segment *before,
                         char out[SEGMENT_LABEL_SIZE])
{
    bool same = before->process != NULL && before->process == segment->process &&
                segment->part != PART_WHOLE &&
                (segment->model == before->model || segment->part == PART_UNEXPLAINED);
    segment_label(segment, out);
    if (same)
        snprintf(out, SEGMENT_LABEL_SIZE, "%s", segment_part_words(segment->part));
}

void segment_bytes_words(const struct segment *segment, char out[UNITS_SIZE])
{
    if (segment->how == HOW_UNAVAILABLE)
        snprintf(out, UNITS_SIZE, "n/a");
    else
        units_bytes((double)segment->bytes, out);
}
