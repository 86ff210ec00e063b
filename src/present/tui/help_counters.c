/* Every figure of a GPU and of a process in the words of the field table, how the one on screen is
 * known, or why it is not. */
#include <stdio.h>
#include <string.h>

#include "present/tui/help_counters.h"
#include "snapshot/fields.h"

enum { NAME_SIZE = 64, WIDE_COLUMNS = 100, HOW_X = 28, WIDE_TEXT_X = 42, NARROW_TEXT_X = 4 };

/* "temperatures_celsius" and "edge" read "temperatures edge": the unit stands with the words. */
static void add_name(char name[NAME_SIZE], const char *key)
{
    static const char *const units[] = {
        "_bytes_per_second", "_bytes", "_percent", "_celsius", "_watts", "_joules", "_mhz", "_rpm"};
    size_t length = strlen(key), used = strlen(name);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t unit = strlen(units[i]);
        if (length > unit && strcmp(key + length - unit, units[i]) == 0) {
            length -= unit;
            break;
        }
    }
    if (used > 0 && used + 1 < NAME_SIZE)
        name[used++] = ' ';
    for (size_t i = 0; i < length && used + 1 < NAME_SIZE; i++)
        name[used++] = key[i] == '_' ? ' ' : key[i];
    name[used] = '\0';
}

static enum style style_of_how(enum how how)
{
    return how == HOW_UNAVAILABLE ? STYLE_DIM : how == HOW_MEASURED ? STYLE_NORMAL : STYLE_MARK;
}

static void write_unit(struct page *page, int indent, const char *unit)
{
    bool fits = page->x + (int)strlen(" ()") + (int)strlen(unit) <= page->width;
    if (!fits)
        page_line(page, indent);
    page_format(page, STYLE_DIM, fits ? " (%s)" : "(%s)", unit);
}

static void write_counter(struct page *page, const char *name, const struct field *field,
                          const void *base)
{
    enum how how = HOW_UNAVAILABLE;
    enum reason why_not = REASON_not_reported;
    bool wide = page->width >= WIDE_COLUMNS;
    int text_x = wide ? WIDE_TEXT_X : NARROW_TEXT_X;
    page_line(page, 2);
    page_words(page, STYLE_HEADING_SORTED, name);
    page_column(page, HOW_X);
    if (base != NULL && field_provenance(field, base, &how, &why_not))
        page_words(page, style_of_how(how), how == HOW_UNAVAILABLE ? "n/a here" : how_name(how));
    if (wide)
        page_column(page, text_x);
    else
        page_line(page, text_x);
    page_wrap(page, STYLE_NORMAL, text_x, 0,
              (struct text){field->description, strlen(field->description)});
    if (field->unit != NULL)
        write_unit(page, text_x, field->unit);
    /* Figures that only some processes have at all are missing without a reason. */
    bool quiet = field_flag_is(field, FIELD_QUIET) && why_not == REASON_not_reported;
    if (base == NULL || how != HOW_UNAVAILABLE || quiet)
        return;
    const char *why = reason_words(why_not);
    page_line(page, text_x);
    page_wrap(page, STYLE_DIM, text_x, 0, (struct text){why, strlen(why)});
}

/* `base` NULL: there is none to tell how its figures are known. */
static void write_table(struct page *page, const struct field_table *table, const void *base,
                        const char *above)
{
    for (size_t i = 0; i < table->field_count; i++) {
        const struct field *field = &table->fields[i];
        char name[NAME_SIZE] = "";
        if (above[0] != '\0')
            add_name(name, above);
        add_name(name, field->key);
        if (field->kind == FIELD_MEASURED || field->kind == FIELD_FIGURE)
            write_counter(page, name, field, base);
        else if (field->kind == FIELD_OBJECT && above[0] == '\0')
            write_table(page, field->table, base != NULL ? field_at(field, base) : NULL,
                        field->key);
    }
}

static const struct field_table *table_below(const struct field_table *table, const char *key)
{
    for (size_t i = 0; i < table->field_count; i++)
        if (strcmp(table->fields[i].key, key) == 0)
            return table->fields[i].table;
    return NULL;
}

static void heading(struct page *page, const char *words)
{
    page_line(page, 0);
    page_line(page, 0);
    page_words(page, STYLE_TITLE, words);
}

static void known_of(struct page *page, const char *whose, struct text name)
{
    char words[256];
    int length = snprintf(words, sizeof words, ", and how they are known of %s%.*s", whose,
                          (int)(name.size < 128 ? name.size : 128), name.utf8);
    page_wrap(page, STYLE_TITLE, 0, 0, (struct text){words, (size_t)length});
}

void help_counters(struct page *page, const struct adapter *adapter, const struct process *process)
{
    const struct field_table *adapters = table_below(&snapshot_table, "adapters");
    const struct field_table *uses = table_below(&process_table, "gpus");
    heading(page, "Figures of a GPU");
    if (adapter != NULL) {
        char whose[64];
        snprintf(whose, sizeof whose, "GPU %lld here: ", (long long)adapter->index);
        known_of(page, whose, adapter->name);
    }
    write_table(page, adapters, adapter, "");
    heading(page, "Figures of a process on a GPU");
    const struct gpu_use *use = process != NULL && process->gpu_count > 0 ? process->gpus : NULL;
    if (use != NULL)
        known_of(page, "", process->name.size > 0 ? process->name : process->label);
    write_table(page, uses, use, "");
}

/* What a source's figures are, where their own words are not enough. */
static void explain_source(struct page *page, const struct source_status *source)
{
    static const struct {
        const char *source, *words;
    } explained[] = {
        {"wddm", "Windows' own counters: VRAM of a process is Local Usage, what is resident; SPILL "
                 "Non Local Usage; PAGED what is committed beyond both. Loads are rates of its "
                 "running time. Task Manager shows what is committed."},
        {"adl", "sensors of AMD's driver: temperature, power, fan and clocks. Memory and load are "
                "Windows' own."},
    };
    for (size_t i = 0; i < sizeof explained / sizeof *explained; i++) {
        const char *words = explained[i].words;
        if (source->state == SOURCE_ABSENT || !text_equal_string(source->name, explained[i].source))
            continue;
        page_line(page, 18);
        page_wrap(page, STYLE_DIM, 18, 0, (struct text){words, strlen(words)});
    }
}

void help_sources(struct page *page, const struct snapshot *snapshot)
{
    heading(page, "Where the figures come from on this machine");
    for (size_t i = 0; i < snapshot->source_count; i++) {
        const struct source_status *source = &snapshot->sources[i];
        page_line(page, 2);
        page_text(page, STYLE_HEADING_SORTED, source->name);
        page_column(page, 18);
        page_words(page, source->state == SOURCE_OK ? STYLE_NORMAL : STYLE_MARK,
                   source_state_name(source->state));
        if (source->detail.size > 0) {
            page_words(page, STYLE_NORMAL, ": ");
            page_wrap(page, STYLE_NORMAL, 18, 0, source->detail);
        }
        explain_source(page, source);
    }
    for (size_t i = 0; i < snapshot->adapter_count; i++) {
        const struct adapter *adapter = &snapshot->adapters[i];
        page_line(page, 2);
        page_format(page, STYLE_HEADING_SORTED, "GPU %lld", (long long)adapter->index);
        page_column(page, 18);
        page_text(page, STYLE_NORMAL, adapter->name);
        page_words(page, STYLE_DIM, ", driver ");
        page_text(page, STYLE_NORMAL, adapter->driver);
        page_words(page, STYLE_NORMAL, " ");
        page_text(page, STYLE_NORMAL, adapter->driver_version);
    }
    for (size_t i = 0; i < snapshot->note_count; i++) {
        page_line(page, 2);
        page_wrap(page, STYLE_DIM, 2, 0, snapshot->notes[i].text);
    }
}
