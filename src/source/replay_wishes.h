/* What a user asked a replay for, in the order of the keys, until the player has done it. Pure. */
#ifndef SOURCE_REPLAY_WISHES_H
#define SOURCE_REPLAY_WISHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum replay_aim { AIM_STEP, AIM_BY, AIM_EVENT, AIM_WALL };
struct replay_wish {
    enum replay_aim aim;
    int count;       /* AIM_STEP, AIM_EVENT */
    int64_t time_ns; /* AIM_BY, AIM_WALL */
};

enum { REPLAY_WISHES_MAX = 8 };
struct replay_wishes {
    struct replay_wish items[REPLAY_WISHES_MAX];
    size_t count;
};

/* Keys may come faster than frames: a wish of the kind of the last one adds to it, and one for a
 * fixed place (AIM_WALL) makes all before it void. Beyond the bound it is not taken. */
void replay_wishes_add(struct replay_wishes *wishes, const struct replay_wish *wish);
/* Takes the first one out; false: there is none. */
bool replay_wishes_take(struct replay_wishes *wishes, struct replay_wish *wish);
/* One that was taken and could not be done yet is the first again, unless a fixed place was asked
 * for meanwhile. */
void replay_wishes_put_back(struct replay_wishes *wishes, const struct replay_wish *wish);

#endif
