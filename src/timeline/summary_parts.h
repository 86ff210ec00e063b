/* The step of a summary from one sample to the next: for summary.c and its parts. */
#ifndef TIMELINE_SUMMARY_PARTS_H
#define TIMELINE_SUMMARY_PARTS_H

#include "base/map.h"
#include "timeline/summary.h"

enum { BOOT_ID_SIZE = 64 };

struct summary_state {
    char boot_id[BOOT_ID_SIZE];
    uint64_t boot;
    double running_seconds; /* of the sample before; its clock */
    bool running_known;
    int64_t taken_at_ns;

    /* Of the sample at work. */
    double seconds; /* that it stands for; 0: nothing */
    int64_t now_ns;
    bool continues; /* without a gap from the sample before */

    struct map *processes; /* struct process_key -> size_t index */
};

struct process_key {
    struct identity identity;
    uint64_t boot;
};

/* Cuts at a character. */
void summary_copy_text(char *out, size_t size, struct text text);

void summary_process_free(struct summary_process *process); /* what it owns */

void summary_add_adapters(struct summary *summary, const struct snapshot *snapshot);
void summary_add_processes(struct summary *summary, const struct snapshot *snapshot);
struct summary_adapter *summary_find_adapter(struct summary *summary, struct text id);
/* Joules that the adapter used in the sample at work; negative: unknown. */
double summary_sample_joules(const struct summary *summary, const struct adapter *adapter);

#endif
