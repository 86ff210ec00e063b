#include "view/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vector.h"
#include "view/filter.h"

const char *class_words(enum process_class class)
{
    switch (class) {
    case CLASS_LLM:
        return "LLM";
    case CLASS_EMBEDDING:
        return "embedding";
    case CLASS_DECISION:
        return "decision";
    case CLASS_SPEECH:
        return "speech";
    case CLASS_DIFFUSION:
        return "diffusion";
    case CLASS_VISION:
        return "vision";
    case CLASS_TRAINING:
        return "training";
    case CLASS_PYTHON_AI:
        return "Python AI";
    case CLASS_BROWSER:
        return "browser";
    case CLASS_COMPOSITOR:
        return "desktop";
    case CLASS_GAME:
        return "game";
    case CLASS_VIDEO:
        return "video";
    case CLASS_REMOTE_DESKTOP:
        return "remote";
    case CLASS_GPU_TOOL:
        return "GPU tool";
    case CLASS_OTHER:
    case CLASS_COUNT:
        break;
    }
    return "";
}

static bool is_asked_for(const struct process *process, const struct rows_options *options)
{
    if (!text_is_none(options->user) && !text_equal(options->user, process->user))
        return false;
    if (options->pid_count == 0)
        return true;
    for (size_t i = 0; i < options->pid_count; i++)
        if (options->pids[i] == process->pid)
            return true;
    return false;
}

static bool is_top(const struct row *row)
{
    return row->memory.value > 0 || row->spill.value > 0 || row->load.value > 0 ||
           row->may_hold_memory;
}

const struct amount *row_amount(const struct row *row, enum column column)
{
    switch (column) {
    case COLUMN_vram:
        return &row->memory;
    case COLUMN_shared:
        return &row->shared;
    case COLUMN_spill:
        return &row->spill;
    case COLUMN_paged:
        return &row->paged;
    case COLUMN_gpu:
        return &row->load;
    case COLUMN_engine_3d:
        return &row->engines[ENGINE_gfx];
    case COLUMN_engine_compute:
        return &row->engines[ENGINE_compute];
    case COLUMN_engine_copy:
        return &row->engines[ENGINE_copy];
    case COLUMN_cpu:
        return &row->cpu;
    case COLUMN_ram:
        return &row->ram;
    case COLUMN_time:
        return &row->running;
    default:
        return NULL;
    }
}

static struct text text_of(const struct row *row, enum column column)
{
    const struct process *process = row->process;
    switch (column) {
    case COLUMN_user:
        return process->user;
    case COLUMN_class: {
        const char *words = class_words(process->class);
        return *words != '\0' ? (struct text){words, strlen(words)} : TEXT_NONE;
    }
    case COLUMN_name:
        return process->name;
    case COLUMN_model:
        return row->main_model != NULL ? row->main_model->name : TEXT_NONE;
    case COLUMN_runtime:
        return process->runtime_count > 0 ? process->runtimes[0].name : TEXT_NONE;
    case COLUMN_container:
        if (!process->container.present)
            return TEXT_NONE;
        return !text_is_none(process->container.name) ? process->container.name
                                                      : process->container.id;
    default:
        return TEXT_NONE;
    }
}

static void set_order(struct row *row, const struct rows_options *options)
{
    struct row_order *order = &row->order;
    const struct amount *amount = row_amount(row, options->sort);
    *order = (struct row_order){.reverse = options->reverse};
    if (options->sort == COLUMN_pid) {
        order->number = -(double)row->process->pid;
    } else if (options->sort == COLUMN_video) {
        static const enum engine video[] = {ENGINE_decode, ENGINE_encode, ENGINE_video};
        order->unknown = true;
        for (size_t i = 0; i < sizeof video / sizeof *video; i++) {
            const struct amount *engine = &row->engines[video[i]];
            if (amount_is_known(engine) && (order->unknown || engine->value > order->number)) {
                order->number = engine->value;
                order->unknown = false;
            }
        }
    } else if (amount != NULL) {
        order->number = amount->value;
        order->unknown = !amount_is_known(amount);
    } else {
        order->by_text = true;
        order->text = text_of(row, options->sort);
        order->unknown = text_is_none(order->text);
    }
}

static int compare_identity(const struct process *a, const struct process *b)
{
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    if (a->identity.start_stamp != b->identity.start_stamp)
        return a->identity.start_stamp < b->identity.start_stamp ? -1 : 1;
    return 0;
}

static int compare_rows(const void *first, const void *second)
{
    const struct row *a = first, *b = second;
    if (a->order.unknown != b->order.unknown)
        return a->order.unknown ? 1 : -1;
    int order = 0;
    if (!a->order.unknown && a->order.by_text)
        order = text_compare(a->order.text, b->order.text);
    else if (!a->order.unknown && a->order.number != b->order.number)
        order = a->order.number > b->order.number ? -1 : 1;
    if (a->order.reverse)
        order = -order;
    return order != 0 ? order : compare_identity(a->process, b->process);
}

/* Parent links among the shown rows, and the rows in tree order. */
struct tree {
    size_t *parent, *first_child, *next_sibling; /* row places; `none` where there is none */
    size_t none;
};

static void tree_link(struct tree *tree, const struct rows *rows)
{
    struct map *places = map_new(sizeof(int64_t), sizeof(size_t));
    for (size_t i = 0; i < rows->count; i++) {
        const struct process *process = rows->items[i].process;
        bool added = false;
        if (process->space == NAMESPACE_LOCAL) {
            size_t *place = map_put(places, &process->pid, &added);
            if (added)
                *place = i;
        }
        tree->parent[i] = tree->first_child[i] = tree->next_sibling[i] = tree->none;
    }
    /* From the last to the first, so that each list of children is in the sort order. */
    for (size_t i = rows->count; i-- > 0;) {
        const struct process *process = rows->items[i].process;
        const size_t *place = NULL;
        if (process->space == NAMESPACE_LOCAL && process->parent_pid.known)
            place = map_get(places, &process->parent_pid.value);
        if (place == NULL || *place == i)
            continue;
        tree->parent[i] = *place;
        tree->next_sibling[i] = tree->first_child[*place];
        tree->first_child[*place] = i;
    }
    map_free(&places);
}

/* Appends the row at `root` and all below it, parents first. Climbs by the parent links: no stack.
 */
static void tree_walk(const struct tree *tree, const struct rows *rows, size_t root, bool *seen,
                      struct row *out, size_t *count)
{
    size_t at = root, depth = 0;
    while (at != tree->none) {
        if (!seen[at]) {
            seen[at] = true;
            out[*count] = rows->items[at];
            out[*count].depth = depth;
            out[*count].last_child = depth > 0 && tree->next_sibling[at] == tree->none;
            (*count)++;
            size_t child = tree->first_child[at];
            if (child != tree->none && !seen[child]) {
                at = child;
                depth++;
                continue;
            }
        }
        while (at != root && tree->next_sibling[at] == tree->none) {
            at = tree->parent[at];
            depth--;
        }
        at = at == root ? tree->none : tree->next_sibling[at];
    }
}

static void rows_to_tree(struct rows *rows)
{
    size_t count = rows->count, written = 0;
    if (count == 0)
        return;
    struct tree tree = {.none = count};
    size_t *links = memory_grow(NULL, count * 3, sizeof *links);
    struct row *out = memory_grow(NULL, count, sizeof *out);
    bool *seen = memory_new(count * sizeof *seen);
    tree.parent = links;
    tree.first_child = links + count;
    tree.next_sibling = links + 2 * count;
    tree_link(&tree, rows);
    for (size_t i = 0; i < count; i++)
        if (tree.parent[i] == tree.none)
            tree_walk(&tree, rows, i, seen, out, &written);
    /* Parents in a circle (a malformed snapshot): each by itself. */
    for (size_t i = 0; i < count; i++)
        if (!seen[i])
            out[written++] = rows->items[i];
    memcpy(rows->items, out, count * sizeof *out);
    free(links);
    free(out);
    free(seen);
}

void rows_build(struct rows *rows, const struct snapshot *snapshot,
                const struct rows_options *options)
{
    rows->count = rows->left_out = 0;
    for (size_t i = 0; i < snapshot->process_count; i++) {
        const struct process *process = &snapshot->processes[i];
        struct row row;
        if (!is_asked_for(process, options))
            continue;
        row_fold(&row, snapshot, process, options);
        if (row.use_count == 0 ||
            (options->filter != NULL && !filter_accepts(options->filter, &row)))
            continue;
        if (!options->all && options->pid_count == 0 && !is_top(&row)) {
            rows->left_out++;
            continue;
        }
        set_order(&row, options);
        VECTOR_PUSH(rows, row);
    }
    if (rows->count > 1)
        qsort(rows->items, rows->count, sizeof *rows->items, compare_rows);
    if (options->tree)
        rows_to_tree(rows);
}

void rows_free(struct rows *rows)
{
    VECTOR_FREE(rows);
}

size_t rows_find(const struct rows *rows, struct identity identity)
{
    for (size_t i = 0; i < rows->count; i++)
        if (identity_equal(rows->items[i].process->identity, identity))
            return i;
    return rows->count;
}
