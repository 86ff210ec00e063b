#include "source/replay_wishes.h"

#include <string.h>

enum { COUNT_MOST = 1000000 };

/* False: they are of different kinds. What would be too far is not gone at all. */
static bool join(struct replay_wish *wish, const struct replay_wish *other)
{
    int count;
    int64_t time_ns;
    if (wish->aim != other->aim || wish->aim == AIM_WALL) {
        return false;
    }
    if (!__builtin_add_overflow(wish->count, other->count, &count) && count <= COUNT_MOST &&
        count >= -COUNT_MOST && !__builtin_add_overflow(wish->time_ns, other->time_ns, &time_ns)) {
        wish->count = count;
        wish->time_ns = time_ns;
    }
    return true;
}

void replay_wishes_add(struct replay_wishes *wishes, const struct replay_wish *wish)
{
    if (wish->aim == AIM_WALL) {
        wishes->count = 0;
    }
    if (wishes->count > 0 && join(&wishes->items[wishes->count - 1], wish)) {
        return;
    }
    if (wishes->count < REPLAY_WISHES_MAX) {
        wishes->items[wishes->count++] = *wish;
    }
}

bool replay_wishes_take(struct replay_wishes *wishes, struct replay_wish *wish)
{
    if (wishes->count == 0) {
        return false;
    }
    *wish = wishes->items[0];
    wishes->count--;
    memmove(wishes->items, wishes->items + 1, wishes->count * sizeof wishes->items[0]);
    return true;
}

void replay_wishes_put_back(struct replay_wishes *wishes, const struct replay_wish *wish)
{
    bool is_void = wishes->count > 0 && wishes->items[0].aim == AIM_WALL;
    if (is_void || (wishes->count > 0 && join(&wishes->items[0], wish))) {
        return;
    }
    size_t kept = wishes->count < REPLAY_WISHES_MAX ? wishes->count : REPLAY_WISHES_MAX - 1;
    memmove(wishes->items + 1, wishes->items, kept * sizeof wishes->items[0]);
    wishes->items[0] = *wish;
    wishes->count = kept + 1;
}
