/* The line above a chart: what it shows, its newest value, and what grew. */
#include <stdio.h>
#include <string.h>

#include "present/tui/chart_drawing.h"
#include "present/tui/map_bar.h"
#include "view/adapter_line.h"
#include "view/text_width.h"

/* The growth of the process whose memory grew most with the class that did. */
struct growing {
    double first;
    bool any;
};

static void note_first(void *context, const struct history_point *point)
{
    struct growing *growing = context;
    if (!growing->any)
        growing->first = (double)point->values[SERIES_VRAM];
    growing->any = true;
}

/* One that began in the span grew by all it has. */
static double grown_by(struct ui *ui, const struct adapter *adapter,
                       const struct memory_holder *holder)
{
    struct growing growing = {.any = false};
    const struct growth *growth = &ui->charts.growth;
    struct history_request request = {.adapter_id = adapter->id,
                                      .from_ns = growth->first_ns - 8000000000LL,
                                      .to_ns = growth->first_ns,
                                      .process = holder->process->identity,
                                      .visit = note_first,
                                      .context = &growing};
    (void)source_history(ui->source, &request);
    return (double)holder->bytes - growing.first;
}

static void find_growing(struct ui *ui, const struct adapter *adapter,
                         struct growth_process *process)
{
    enum { LOOKED_AT = 16 };
    enum segment_class class = growth_most(&ui->charts.growth);
    size_t looked = 0;
    memory_holders_collect(&ui->map.holders, ui->snapshot, adapter);
    for (size_t i = 0; i < ui->map.holders.count && looked < LOOKED_AT; i++) {
        const struct memory_holder *holder = &ui->map.holders.items[i];
        if (holder->class != class)
            continue;
        double grown = grown_by(ui, adapter, holder);
        if (looked++ == 0 || grown > process->grown_bytes)
            *process = (struct growth_process){holder->process->name, grown};
    }
}

/* The first one says whose charts these are, where there is more than one GPU. */
static void put_title(const struct drawing *drawing, const char *title)
{
    struct screen *screen = drawing->ui->screen;
    int x = drawing->area.x + 1;
    if (x == 1 && drawing->ui->snapshot->adapter_count > 1)
        x += screen_format(screen, x, drawing->area.y, STYLE_DIM, "GPU %lld ",
                           (long long)drawing->adapter->index);
    screen_print(screen, x, drawing->area.y, title, STYLE_TITLE);
}

/* "memory by class      +3.1 G models since -12 min": what does not fit of it goes, the time last.
 */
static void draw_class_title(const struct drawing *drawing)
{
    static const char *const titles[] = {"memory by class", "memory", "memory"};
    struct ui *ui = drawing->ui;
    struct rectangle area = drawing->area;
    struct growth_process process = {.name = TEXT_NONE};
    char words[GROWTH_TEXT_SIZE];
    size_t form = 0;
    find_growing(ui, drawing->adapter, &process);
    growth_words(&ui->charts.growth, (double)memory_pools_total(&drawing->adapter->memory).value,
                 &process, words);
    while (form < 2 &&
           (int)(strlen(titles[form]) + 3 +
                 text_width((struct text){words, strlen(words)}, ui->ascii)) > area.width)
        form++;
    char *since = strstr(words, " since ");
    if (form == 2 && since != NULL)
        *since = '\0';
    put_title(drawing, titles[form]);
    draw_right(ui->screen, area.x + area.width, area.y, words,
               style_of_segment(growth_most(&ui->charts.growth)));
}

static void draw_traffic(const struct drawing *drawing)
{
    const struct pcie *pcie = &drawing->adapter->pcie;
    char in[UNITS_SIZE] = "n/a", out[UNITS_SIZE] = "n/a", words[2 * UNITS_SIZE + 16];
    if (figure_is_known(pcie->rx_bytes_per_second))
        units_rate(pcie->rx_bytes_per_second.value, in);
    if (figure_is_known(pcie->tx_bytes_per_second))
        units_rate(pcie->tx_bytes_per_second.value, out);
    snprintf(words, sizeof words, "out %s", out);
    int right = drawing->area.x + drawing->area.width;
    draw_right(drawing->ui->screen, right, drawing->area.y, words, STYLE_DIM);
    right -= (int)strlen(words) + 2;
    snprintf(words, sizeof words, "in %s", in);
    draw_right(drawing->ui->screen, right, drawing->area.y, words, STYLE_LOAD);
}

void chart_draw_title(const struct drawing *drawing)
{
    struct screen *screen = drawing->ui->screen;
    struct rectangle area = drawing->area;
    const char *title = chart_title(drawing->chart, drawing->adapter);
    int right = area.x + area.width;
    if (drawing->chart == CHART_classes) {
        draw_class_title(drawing);
        return;
    }
    put_title(drawing, title);
    if (drawing->chart == CHART_pcie) {
        draw_traffic(drawing);
        return;
    }
    struct figure now = chart_now(drawing->chart, drawing->adapter, &drawing->ui->snapshot->host);
    char words[UNITS_SIZE] = "n/a";
    if (figure_is_known(now))
        chart_value_words(chart_traits(drawing->chart)->unit, now.value, drawing->ui->ascii, words);
    const char *source = fact_source_words(now.how);
    draw_right(screen, right, area.y, source, STYLE_DIM);
    draw_right(screen, right - (int)strlen(source), area.y, words,
               figure_is_known(now) ? STYLE_NORMAL : STYLE_DIM);
}
