#include "present/tui/layout.h"

enum {
    FULL_LINES = 4,
    SHORT_LINES = 2,
    COMPACT_WIDTH = 39,   /* the least that a one-line adapter needs */
    COMPACT_FROM = 3,     /* adapters: only the focused one is shown in full from here on */
    SPACIOUS_HEIGHT = 34, /* blank lines between the parts, an inspector of its own */
    ORDINARY_HEIGHT = 20, /* a foot of two lines for the selected row */
    STATUS_HEIGHT = 14,   /* a status line of its own */
    CHARTS_WIDTH = 60,
    CHARTS_LINES = 5, /* the least: title, three of chart, time axis */
    CHARTS_LEAST_TABLE = 5,
    INSPECTOR_LEAST = 7, /* lines of it that the charts never take */
};

/* Lines of the table, heading included, that are kept before adapters get more than a line. */
static int least_table(int height)
{
    if (height >= 22)
        return 9;
    return height >= 14 ? 6 : 4;
}

static int inspector_lines(int height)
{
    if (height < ORDINARY_HEIGHT)
        return 0;
    if (height < SPACIOUS_HEIGHT)
        return 2;
    int lines = height / 4;
    return lines > 22 ? 22 : lines;
}

/* What was dragged to, as far as a line of adapters and the least table leave room. */
static int wished_inspector(const struct layout_wish *wish, int foot)
{
    int lines = inspector_lines(wish->height);
    if (wish->inspector_lines <= 0 || lines == 0)
        return lines;
    int most = foot - 1 - least_table(wish->height) - (wish->height >= SPACIOUS_HEIGHT ? 3 : 1);
    int wished = wish->inspector_lines < most ? wish->inspector_lines : most;
    return wished > 2 ? wished : 2;
}

static int lines_of(enum adapter_form form)
{
    return form == ADAPTER_FULL ? FULL_LINES : form == ADAPTER_SHORT ? SHORT_LINES : 1;
}

/* How the adapters are shown: the form of the focused one (and of all, while they are few), and how
 * many of the one-line ones stand beside each other. */
struct plan {
    enum adapter_form focused, others;
    int columns;
};

static size_t divide_up(size_t count, size_t by)
{
    return (count + by - 1) / by;
}

static int plan_lines(const struct plan *plan, size_t count)
{
    if (count == 0)
        return 1;
    if (plan->others != ADAPTER_LINE)
        return lines_of(plan->others) * (int)count;
    if (plan->focused == ADAPTER_LINE)
        return (int)divide_up(count, (size_t)plan->columns);
    return lines_of(plan->focused) + (int)divide_up(count - 1, (size_t)plan->columns);
}

/* The first of ever smaller plans that fits in `room` lines. */
static struct plan choose_plan(size_t count, int width, int height, int room)
{
    enum adapter_form best = height >= SPACIOUS_HEIGHT && width >= 100  ? ADAPTER_FULL
                             : height >= ORDINARY_HEIGHT && width >= 60 ? ADAPTER_SHORT
                                                                        : ADAPTER_LINE;
    struct plan plan = {best, best, 1};
    if (count < COMPACT_FROM && plan_lines(&plan, count) <= room)
        return plan;
    plan.others = ADAPTER_LINE;
    int most = width / COMPACT_WIDTH > 1 ? width / COMPACT_WIDTH : 1;
    for (int form = (int)best; form >= (int)ADAPTER_LINE; form--)
        for (plan.columns = 1; plan.columns <= most; plan.columns++) {
            plan.focused = (enum adapter_form)form;
            if (plan_lines(&plan, count) <= room)
                return plan;
        }
    plan.columns = most;
    plan.focused = ADAPTER_LINE;
    return plan;
}

static void add_slot(struct layout *layout, struct rectangle area, enum adapter_form form,
                     size_t adapter)
{
    if (layout->slot_count < LAYOUT_SLOTS_MAX)
        layout->slots[layout->slot_count++] =
            (struct adapter_slot){.area = area, .form = form, .adapter = adapter};
}

/* All adapters fit: in their order, one below the other, the one-line ones beside each other where
 * the plan says so. */
static void place_all(struct layout *layout, const struct plan *plan, size_t count, size_t focused)
{
    struct rectangle area = layout->adapters;
    int y = area.y, column = 0, wide = area.width / plan->columns;
    for (size_t i = 0; i < count; i++) {
        enum adapter_form form = i == focused ? plan->focused : plan->others;
        if (form != ADAPTER_LINE) {
            if (column > 0)
                y++;
            column = 0;
            add_slot(layout, (struct rectangle){area.x, y, area.width, lines_of(form)}, form, i);
            y += lines_of(form);
            continue;
        }
        int width = column + 1 == plan->columns ? area.width - column * wide : wide;
        add_slot(layout, (struct rectangle){area.x + column * wide, y, width, 1}, form, i);
        column++;
        if (column == plan->columns) {
            column = 0;
            y++;
        }
    }
}

/* Too many: the lines that there are, around the focused one, and a line that counts the rest. */
static void place_some(struct layout *layout, const struct plan *plan, size_t count, size_t focused)
{
    struct rectangle area = layout->adapters;
    int lines = area.height;
    size_t columns = (size_t)plan->columns;
    size_t shown = (size_t)(lines > 1 ? lines - 1 : 1) * columns;
    if (shown > LAYOUT_SLOTS_MAX)
        shown = LAYOUT_SLOTS_MAX;
    size_t first = focused < shown / 2 ? 0 : focused - shown / 2;
    if (first + shown > count)
        first = count - shown;
    int wide = area.width / plan->columns;
    for (size_t i = 0; i < shown; i++)
        add_slot(layout,
                 (struct rectangle){area.x + (int)(i % columns) * wide, area.y + (int)(i / columns),
                                    wide, 1},
                 ADAPTER_LINE, first + i);
    layout->hidden_adapters = count - shown;
    if (lines > 1)
        layout->more = (struct rectangle){area.x, area.y + lines - 1, area.width, 1};
}

static int place_adapters(struct layout *layout, const struct layout_wish *wish, int y, int room)
{
    size_t focused = wish->focused < wish->adapter_count ? wish->focused : 0;
    struct plan plan = choose_plan(wish->adapter_count, wish->width, wish->height, room);
    int lines = plan_lines(&plan, wish->adapter_count);
    /* A one-line block before the focused one may end in a half-filled line. */
    if (plan.focused != ADAPTER_LINE && plan.others == ADAPTER_LINE && plan.columns > 1)
        lines = lines_of(plan.focused) + (int)divide_up(focused, (size_t)plan.columns) +
                (int)divide_up(wish->adapter_count - 1 - focused, (size_t)plan.columns);
    bool all = lines <= room && wish->adapter_count <= LAYOUT_SLOTS_MAX;
    if (!all && plan.focused != ADAPTER_LINE) {
        plan.focused = ADAPTER_LINE;
        lines = plan_lines(&plan, wish->adapter_count);
        all = lines <= room && wish->adapter_count <= LAYOUT_SLOTS_MAX;
    }
    layout->adapters = (struct rectangle){0, y, wish->width, all ? lines : room};
    if (all)
        place_all(layout, &plan, wish->adapter_count, focused);
    else
        place_some(layout, &plan, wish->adapter_count, focused);
    return layout->adapters.height;
}

/* Lines of the charts when `room` is what they and the table have together; 0 when they do not fit.
 */
static int chart_lines(const struct layout_wish *wish, int room)
{
    bool spacious = wish->height >= SPACIOUS_HEIGHT && wish->width >= CHARTS_WIDTH;
    if (wish->charts == LAYOUT_CHARTS_NONE || (wish->charts == LAYOUT_CHARTS_SPARE && !spacious))
        return 0;
    int most = wish->height / 6 > 16 ? 16 : wish->height / 6 > 6 ? wish->height / 6 : 6;
    int lines = room - (spacious ? 1 + least_table(wish->height) : CHARTS_LEAST_TABLE);
    return lines > most ? most : lines >= CHARTS_LINES ? lines : 0;
}

/* Places the charts above the table, for which an inspector that was not dragged lends some lines
 * when that makes them fit. Returns the lines taken, the gap included. */
static int place_charts(struct layout *layout, const struct layout_wish *wish, int y, int *foot)
{
    int lent = 0, lines = chart_lines(wish, *foot - y);
    while (lines == 0 && wish->inspector_lines == 0 &&
           layout->inspector.height - lent > INSPECTOR_LEAST)
        lines = chart_lines(wish, *foot - y + ++lent);
    if (lines == 0)
        return 0;
    *foot += lent;
    layout->inspector.y += lent;
    layout->inspector.height -= lent;
    layout->charts = (struct rectangle){0, y, wish->width, lines};
    return lines + (wish->height >= SPACIOUS_HEIGHT ? 1 : 0);
}

void layout_make(const struct layout_wish *wish, struct layout *layout)
{
    int width = wish->width, height = wish->height;
    *layout = (struct layout){0};
    layout->too_small = width < LAYOUT_LEAST_WIDTH || height < LAYOUT_LEAST_HEIGHT;
    if (layout->too_small)
        return;
    int gap = height >= SPACIOUS_HEIGHT ? 1 : 0;
    int foot = height - 1;
    layout->keys = (struct rectangle){0, foot, width, 1};
    if (height >= STATUS_HEIGHT)
        foot--;
    layout->status = (struct rectangle){0, foot, width, 1};
    int inspector = wished_inspector(wish, foot);
    foot -= inspector;
    layout->inspector = (struct rectangle){0, foot, width, inspector};
    layout->header = (struct rectangle){0, 0, width, 1};

    layout->transport = (struct rectangle){0, 1, width, wish->transport ? 1 : 0};

    int y = 1 + layout->transport.height + gap;
    int room = foot - y - gap - least_table(height);
    y += place_adapters(layout, wish, y, room > 1 ? room : 1) + gap;
    y += place_charts(layout, wish, y, &foot);
    layout->table = (struct rectangle){0, y, width, foot - y};
}
