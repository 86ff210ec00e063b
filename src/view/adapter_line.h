/* An adapter's facts in words, in the order of their importance, so that screen and text say the
 * same. Pure. */
#ifndef VIEW_ADAPTER_LINE_H
#define VIEW_ADAPTER_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot/snapshot.h"

enum fact_kind {
    FACT_STATE,           /* "asleep", "lost": only when it is not simply active */
    FACT_LOAD,            /* "load 97 %", "load n/a" */
    FACT_MEMORY,          /* "19.1 / 24.0 GiB", "24.0 GiB" when the use is not known */
    FACT_TEMPERATURE,     /* "64 °C", "58 °C, hotspot 71" */
    FACT_POWER,           /* "371 of 450 W" */
    FACT_CLOCK,           /* "2640 MHz" */
    FACT_FAN,             /* "fan 58 %" */
    FACT_PCIE,            /* "PCIe 4x16", "PCIe 3x8 of 4x16" */
    FACT_TRAFFIC,         /* "in 1.2 GB/s, out 340 MB/s" */
    FACT_MEMORY_ACTIVITY, /* "memory busy 41 %" */
    FACT_VIDEO,           /* "decode 12 %, encode 0 %" */
    FACT_THROTTLE,        /* "throttled: power": only when it is */
    FACT_ERRORS,          /* "Xid 79", "3 ECC errors": only when there are any */
    FACT_KIND_COUNT
};

enum { FACT_TEXT_SIZE = 96 };

struct adapter_fact {
    enum fact_kind kind;
    char text[FACT_TEXT_SIZE]; /* of our own words and numbers: safe for a terminal */
    enum how how;        /* reported: a firmware said so; HOW_UNAVAILABLE: the text says "n/a" */
    enum reason why_not; /* while unavailable */
    bool alarming;       /* lost, throttled by heat, errors: worth the colour of trouble */
};

/* Fills `facts` and returns their number. What the hardware lacks gives no fact, except the load
 * and the memory of a GPU that is awake (n/a). An adapter that is asleep or lost has its state and
 * what is still known of it. */
size_t adapter_facts(const struct adapter *adapter, bool ascii,
                     struct adapter_fact facts[FACT_KIND_COUNT]);
/* "discrete", "integrated", "MIG instance" ... Static. */
const char *adapter_kind_words(enum adapter_kind kind);
/* " reported" for a reported fact, " estimated", " inferred", "" for a measured one. Static. */
const char *fact_source_words(enum how how);

#endif
