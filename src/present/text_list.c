#include "present/text.h"

#include <stdio.h>
#include <string.h>

#include "present/text_part.h"
#include "view/adapter_line.h"
#include "view/memory_map.h"
#include "view/phrase.h"
#include "view/units.h"

enum { KEY_COLUMN = 2, VALUE_COLUMN = 11, VALUE_SIZE = 256 };

static void print_value(struct printer *printer, const char *key, struct text value)
{
    if (value.size == 0)
        return;
    printer_to(printer, KEY_COLUMN);
    printer_string(printer, key);
    printer_to(printer, VALUE_COLUMN);
    printer_sentence(printer, value, VALUE_COLUMN);
}

static void print_list(struct printer *printer, const char *key, const struct text_list *list)
{
    char value[4 * VALUE_SIZE];
    struct phrase phrase = phrase_start(value, sizeof value);
    for (size_t i = 0; i < list->count; i++) {
        phrase_string(&phrase, i > 0 ? " " : "");
        phrase_text(&phrase, list->items[i]);
    }
    print_value(printer, key, (struct text){value, phrase.length});
}

static void print_driver(struct printer *printer, const struct adapter *adapter)
{
    char value[VALUE_SIZE];
    struct phrase phrase = phrase_start(value, sizeof value);
    phrase_text(&phrase, adapter->driver);
    if (phrase.length > 0 && adapter->driver_version.size > 0)
        phrase_string(&phrase, " ");
    phrase_text(&phrase, adapter->driver_version);
    print_value(printer, "driver", (struct text){value, phrase.length});
}

static void print_memory(struct printer *printer, const struct adapter *adapter)
{
    struct measured total = memory_pools_total(&adapter->memory);
    struct measured used = memory_pools_used(&adapter->memory);
    char value[VALUE_SIZE], number[UNITS_SIZE];
    struct phrase phrase = phrase_start(value, sizeof value);
    if (total.known) {
        units_bytes_long((double)total.value, number);
        phrase_string(&phrase, number);
        phrase_string(&phrase, adapter->memory.unified ? " unified" : "");
    }
    if (used.known) {
        units_bytes_long((double)used.value, number);
        phrase_string(&phrase, total.known ? ", " : "");
        phrase_string(&phrase, number);
        phrase_string(&phrase, memory_counts_differ(&adapter->memory) ? " allocated" : " in use");
    }
    if (phrase.length == 0) {
        phrase_string(&phrase, "n/a: ");
        phrase_string(&phrase, reason_words(total.why_not));
    }
    print_value(printer, "memory", (struct text){value, phrase.length});
}

static void print_kind(struct printer *printer, const struct snapshot *snapshot,
                       const struct adapter *adapter)
{
    char value[VALUE_SIZE];
    struct phrase phrase = phrase_start(value, sizeof value);
    phrase_string(&phrase, adapter_kind_words(adapter->kind));
    if (phrase.length > 0)
        phrase_string(&phrase, fact_source_words(adapter->kind_how));
    const struct adapter *parent =
        text_is_none(adapter->parent) ? NULL : snapshot_adapter(snapshot, adapter->parent);
    if (parent != NULL) {
        char of[48];
        snprintf(of, sizeof of, "%s of GPU %lld", phrase.length > 0 ? "" : "part",
                 (long long)parent->index);
        phrase_string(&phrase, of);
    }
    print_value(printer, "kind", (struct text){value, phrase.length});
}

static struct text state_words(enum power_state state)
{
    switch (state) {
    case POWER_ACTIVE:
        return TEXT("active");
    case POWER_SUSPENDED:
        return TEXT("asleep");
    case POWER_LOST:
        return TEXT("lost: it has fallen off the bus or needs a reset");
    case POWER_UNKNOWN:
    case POWER_STATE_COUNT:
        break;
    }
    return TEXT("unknown");
}

void text_list_gpus(FILE *file, const struct snapshot *snapshot, const struct text_options *options)
{
    struct printer printer = {.file = file, .ascii = options->ascii, .width = options->width};
    bool first = true;
    for (size_t i = 0; i < snapshot->adapter_count; i++) {
        const struct adapter *adapter = &snapshot->adapters[i];
        char head[48];
        if (!rows_choose_adapter(&options->rows, snapshot, adapter->id))
            continue;
        if (!first)
            printer_line(&printer);
        first = false;
        snprintf(head, sizeof head, "GPU %lld  ", (long long)adapter->index);
        printer_string(&printer, head);
        printer_sentence(&printer, adapter->name.size > 0 ? adapter->name : TEXT("unnamed"), 2);
        print_value(&printer, "id", adapter->id);
        print_value(&printer, "uuid", adapter->uuid);
        print_list(&printer, "aliases", &adapter->aliases);
        print_driver(&printer, adapter);
        print_kind(&printer, snapshot, adapter);
        print_memory(&printer, adapter);
        print_value(&printer, "state", state_words(adapter->power_state));
        print_list(&printer, "nodes", &adapter->nodes);
    }
}
