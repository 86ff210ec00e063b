/* Must not compile: what is inferred, estimated or reported is never added to a total. */
#include "rules/totals.h"
#include "snapshot/figure.h"

void add_an_estimate(struct total *total);

void add_an_estimate(struct total *total)
{
    struct figure estimate = figure_known(1, HOW_ESTIMATED);
    total_add(total, estimate);
}
