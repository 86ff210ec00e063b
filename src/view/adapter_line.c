#include "view/adapter_line.h"

#include <stdio.h>
#include <string.h>

#include "view/memory_map.h"
#include "view/phrase.h"
#include "view/units.h"

/* The list that grows, and the style all texts share. */
struct facts {
    const struct adapter *adapter;
    bool ascii;
    struct adapter_fact *items;
    size_t count;
};

static struct adapter_fact *fact_add(struct facts *facts, enum fact_kind kind, enum how how)
{
    struct adapter_fact *fact = &facts->items[facts->count++];
    *fact = (struct adapter_fact){.kind = kind, .how = how};
    return fact;
}

static bool is_awake(const struct adapter *adapter)
{
    return adapter->power_state != POWER_SUSPENDED && adapter->power_state != POWER_LOST;
}

static void add_state(struct facts *facts)
{
    if (is_awake(facts->adapter))
        return;
    bool lost = facts->adapter->power_state == POWER_LOST;
    struct adapter_fact *fact = fact_add(facts, FACT_STATE, HOW_MEASURED);
    snprintf(fact->text, sizeof fact->text, "%s", lost ? "lost" : "asleep");
    fact->alarming = lost;
}

static void add_load(struct facts *facts)
{
    struct figure load = facts->adapter->load_percent;
    if (!figure_is_known(load) && !is_awake(facts->adapter))
        return;
    struct adapter_fact *fact = fact_add(facts, FACT_LOAD, load.how);
    char number[UNITS_SIZE];
    units_percent(load.value, number);
    fact->why_not = load.why_not;
    if (figure_is_known(load))
        snprintf(fact->text, sizeof fact->text, "load %s %%", number);
    else
        snprintf(fact->text, sizeof fact->text, "load n/a");
}

static void add_memory(struct facts *facts)
{
    const struct adapter_memory *memory = &facts->adapter->memory;
    struct measured total = memory_pools_total(memory), used = memory_pools_used(memory);
    if (!total.known && !used.known && !is_awake(facts->adapter))
        return;
    bool known = total.known || used.known;
    struct adapter_fact *fact =
        fact_add(facts, FACT_MEMORY, known ? HOW_MEASURED : HOW_UNAVAILABLE);
    char number[UNITS_SIZE];
    if (total.known && used.known)
        units_bytes_of((double)used.value, (double)total.value, number);
    else
        units_bytes_long((double)(total.known ? total.value : used.value), number);
    fact->why_not = total.why_not;
    const char *in_use = memory_counts_differ(memory) ? " allocated" : " in use";
    const char *words = total.known && used.known ? (memory_counts_differ(memory) ? in_use : "")
                        : total.known             ? " in all"
                                                  : in_use;
    if (known)
        snprintf(fact->text, sizeof fact->text, "%s%s%s", number, memory->unified ? " unified" : "",
                 words);
    else
        snprintf(fact->text, sizeof fact->text, "memory n/a");
}

static void add_temperature(struct facts *facts)
{
    const struct temperatures *sensors = &facts->adapter->temperatures_celsius;
    struct figure first = sensors->edge;
    const char *name = "";
    if (!figure_is_known(first)) {
        first = figure_is_known(sensors->hotspot) ? sensors->hotspot : sensors->memory;
        name = figure_is_known(sensors->hotspot) ? "hotspot " : "memory ";
    }
    if (!figure_is_known(first))
        return;
    struct adapter_fact *fact = fact_add(facts, FACT_TEMPERATURE, first.how);
    char number[UNITS_SIZE];
    units_celsius(first.value, facts->ascii, number);
    if (figure_is_known(sensors->edge) && figure_is_known(sensors->hotspot))
        snprintf(fact->text, sizeof fact->text, "%s, hotspot %.0f", number, sensors->hotspot.value);
    else
        snprintf(fact->text, sizeof fact->text, "%s%s", name, number);
}

static void add_power(struct facts *facts)
{
    struct figure power = facts->adapter->power_watts, limit = facts->adapter->power_limit_watts;
    if (!figure_is_known(power))
        return;
    struct adapter_fact *fact = fact_add(facts, FACT_POWER, power.how);
    char number[UNITS_SIZE], most[UNITS_SIZE];
    units_watts(power.value, number);
    units_watts(limit.value, most);
    if (figure_is_known(limit) && limit.value > 0)
        snprintf(fact->text, sizeof fact->text, "%.*s of %s", (int)strcspn(number, " "), number,
                 most);
    else
        snprintf(fact->text, sizeof fact->text, "%s", number);
}

static void add_clock(struct facts *facts)
{
    const struct clocks *clocks = &facts->adapter->clocks_mhz;
    struct figure clock = figure_is_known(clocks->graphics) ? clocks->graphics : clocks->sm;
    if (!figure_is_known(clock))
        return;
    struct adapter_fact *fact = fact_add(facts, FACT_CLOCK, clock.how);
    units_mhz(clock.value, fact->text);
}

static void add_fan(struct facts *facts)
{
    struct figure percent = facts->adapter->fan_percent, rpm = facts->adapter->fan_rpm;
    if (figure_is_known(percent)) {
        struct adapter_fact *fact = fact_add(facts, FACT_FAN, percent.how);
        snprintf(fact->text, sizeof fact->text, "fan %.0f %%", percent.value);
    } else if (figure_is_known(rpm)) {
        struct adapter_fact *fact = fact_add(facts, FACT_FAN, rpm.how);
        snprintf(fact->text, sizeof fact->text, "fan %.0f rpm", rpm.value);
    }
}

static void add_pcie(struct facts *facts)
{
    const struct pcie *pcie = &facts->adapter->pcie;
    const char *times = facts->ascii ? "x" : "\u00d7";
    if (!figure_is_known(pcie->generation) || !figure_is_known(pcie->width))
        return;
    struct adapter_fact *fact = fact_add(facts, FACT_PCIE, pcie->generation.how);
    int length = snprintf(fact->text, sizeof fact->text, "PCIe %.0f%s%.0f", pcie->generation.value,
                          times, pcie->width.value);
    bool less = pcie->generation.value < pcie->max_generation.value ||
                pcie->width.value < pcie->max_width.value;
    if (less && figure_is_known(pcie->max_generation) && figure_is_known(pcie->max_width) &&
        length > 0 && (size_t)length < sizeof fact->text)
        snprintf(fact->text + length, sizeof fact->text - (size_t)length, " of %.0f%s%.0f",
                 pcie->max_generation.value, times, pcie->max_width.value);
}

static void add_traffic(struct facts *facts)
{
    struct figure in = facts->adapter->pcie.rx_bytes_per_second;
    struct figure out = facts->adapter->pcie.tx_bytes_per_second;
    if (!figure_is_known(in) || !figure_is_known(out))
        return;
    struct adapter_fact *fact = fact_add(facts, FACT_TRAFFIC, in.how);
    char first[UNITS_SIZE], second[UNITS_SIZE];
    units_rate(in.value, first);
    units_rate(out.value, second);
    snprintf(fact->text, sizeof fact->text, "in %.30s, out %.30s", first, second);
}

static void add_memory_activity(struct facts *facts)
{
    struct figure activity = facts->adapter->memory_activity_percent;
    if (!figure_is_known(activity))
        return;
    struct adapter_fact *fact = fact_add(facts, FACT_MEMORY_ACTIVITY, activity.how);
    char number[UNITS_SIZE];
    units_percent(activity.value, number);
    snprintf(fact->text, sizeof fact->text, "memory busy %s %%", number);
}

static void add_video(struct facts *facts)
{
    static const struct {
        enum engine engine;
        const char *name;
    } engines[] = {{ENGINE_decode, "decode"}, {ENGINE_encode, "encode"}, {ENGINE_video, "video"}};
    struct adapter_fact *fact = NULL;
    struct phrase phrase = {.size = 0};
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        struct figure figure = facts->adapter->engines_percent[engines[i].engine];
        if (!figure_is_known(figure))
            continue;
        if (fact == NULL) {
            fact = fact_add(facts, FACT_VIDEO, figure.how);
            phrase = phrase_start(fact->text, sizeof fact->text);
        }
        char number[UNITS_SIZE], part[UNITS_SIZE + 16];
        units_percent(figure.value, number);
        snprintf(part, sizeof part, "%s%s %s %%", phrase.length > 0 ? ", " : "", engines[i].name,
                 number);
        phrase_string(&phrase, part);
    }
}

/* A reason is a lower-case word of ours, but a recording may hold anything. */
static void add_reason_words(struct phrase *phrase, struct text reason)
{
    for (size_t i = 0; i < reason.size; i++) {
        char c = reason.utf8[i];
        char letter[2] = {c == '_' ? ' ' : c, '\0'};
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '_' || c == ' ' || c == '-';
        if (plain)
            phrase_string(phrase, letter);
    }
}

/* Low clocks because there is nothing to do are no throttling. */
static bool is_idle(struct text reason)
{
    return text_equal_string(reason, "idle") || text_equal_string(reason, "gpu_idle");
}

/* Firmware of some cards says "hotspot" nearly always, also when the card is cold. */
static bool is_alarming(struct text reason)
{
    return text_contains_folded(reason, TEXT("thermal")) &&
           !text_equal_string(reason, "thermal_hotspot");
}

static void add_throttle(struct facts *facts)
{
    const struct text_list *reasons = &facts->adapter->throttle_reasons;
    struct adapter_fact *fact = NULL;
    struct phrase phrase = {.size = 0};
    for (size_t i = 0; reasons->known && i < reasons->count; i++) {
        if (is_idle(reasons->items[i]))
            continue;
        if (fact == NULL) {
            fact = fact_add(facts, FACT_THROTTLE, facts->adapter->throttle_how);
            phrase = phrase_start(fact->text, sizeof fact->text);
        }
        phrase_string(&phrase, phrase.length > 0 ? ", " : "throttled: ");
        add_reason_words(&phrase, reasons->items[i]);
        fact->alarming |= is_alarming(reasons->items[i]);
    }
}

static void add_errors(struct facts *facts)
{
    const struct adapter_errors *errors = &facts->adapter->errors;
    if (!(errors->xid_last.value > 0) && !(errors->ecc_uncorrected.value > 0))
        return;
    struct adapter_fact *fact = fact_add(facts, FACT_ERRORS, HOW_MEASURED);
    fact->alarming = true;
    int length = 0;
    if (errors->xid_last.value > 0)
        length = snprintf(fact->text, sizeof fact->text, "Xid %.0f", errors->xid_last.value);
    if (errors->ecc_uncorrected.value > 0 && length >= 0 && (size_t)length < sizeof fact->text)
        snprintf(fact->text + length, sizeof fact->text - (size_t)length,
                 "%s%.0f uncorrected ECC error%s", length > 0 ? ", " : "",
                 errors->ecc_uncorrected.value, errors->ecc_uncorrected.value == 1 ? "" : "s");
}

size_t adapter_facts(const struct adapter *adapter, bool ascii,
                     struct adapter_fact items[FACT_KIND_COUNT])
{
    static void (*const add[])(struct facts *) = {
        add_state, add_load,     add_memory, add_temperature, add_power,
        add_clock, add_fan,      add_pcie,   add_traffic,     add_memory_activity,
        add_video, add_throttle, add_errors,
    };
    struct facts facts = {.adapter = adapter, .ascii = ascii, .items = items};
    for (size_t i = 0; i < sizeof add / sizeof *add; i++)
        add[i](&facts);
    return facts.count;
}

const char *adapter_kind_words(enum adapter_kind kind)
{
    switch (kind) {
    case ADAPTER_DISCRETE:
        return "discrete";
    case ADAPTER_INTEGRATED:
        return "integrated";
    case ADAPTER_PARTITION:
        return "partition";
    case ADAPTER_MIG:
        return "MIG instance";
    case ADAPTER_NPU:
        return "NPU";
    case ADAPTER_UNKNOWN:
    case ADAPTER_KIND_COUNT:
        break;
    }
    return "";
}

const char *fact_source_words(enum how how)
{
    switch (how) {
    case HOW_REPORTED:
        return " reported";
    case HOW_ESTIMATED:
        return " estimated";
    case HOW_INFERRED:
        return " inferred";
    case HOW_UNAVAILABLE:
    case HOW_MEASURED:
    case HOW_COUNT:
        break;
    }
    return "";
}
