#include "os/macos/users.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fatal.h"
#include "base/map.h"

enum { RECORD_BYTES = 16384 };

struct macos_users {
    struct map *names; /* uint32_t -> struct raw_text */
    struct arena *arena;
};

struct macos_users *macos_users_new(void)
{
    struct macos_users *users = memory_new(sizeof *users);
    users->names = map_new(sizeof(uint32_t), sizeof(struct raw_text));
    users->arena = arena_new_small();
    return users;
}

void macos_users_free(struct macos_users **users)
{
    if (!*users)
        return;
    map_free(&(*users)->names);
    arena_free(&(*users)->arena);
    free(*users);
    *users = NULL;
}

static struct raw_text ask(struct arena *arena, uint32_t uid)
{
    char record[RECORD_BYTES], digits[16];
    struct passwd entry, *found = NULL;
    const char *name = digits;
    snprintf(digits, sizeof digits, "%u", uid);
    if (getpwuid_r(uid, &entry, record, sizeof record, &found) == 0 && found && found->pw_name[0])
        name = found->pw_name;
    struct raw_text raw = raw_from_string(name);
    return (struct raw_text){arena_string(arena, raw.bytes, raw.length), raw.length};
}

struct raw_text macos_users_name(struct macos_users *users, uint32_t uid)
{
    bool added;
    struct raw_text *name = map_put(users->names, &uid, &added);
    if (added)
        *name = ask(users->arena, uid);
    return *name;
}
