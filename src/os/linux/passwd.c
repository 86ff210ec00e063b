#include "os/linux/passwd.h"

#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/number.h"
#include "base/vector.h"

enum { USERS_MAX = 65536 };

struct user_line {
    uint64_t user;
    size_t at, length; /* of the name in the text */
};

struct passwd {
    char *text;
    struct user_line *items; /* sorted by user, then place */
    size_t count, capacity;
};

static int compare_users(const void *a, const void *b)
{
    const struct user_line *left = a, *right = b;
    if (left->user != right->user)
        return left->user < right->user ? -1 : 1;
    return (left->at > right->at) - (left->at < right->at);
}

struct passwd *passwd_new(struct raw_text raw)
{
    struct passwd *passwd = memory_new(sizeof *passwd);
    passwd->text = memory_new(raw.length + 1);
    if (raw.length > 0)
        memcpy(passwd->text, raw.bytes, raw.length);

    struct raw_text rest = {passwd->text, raw.length}, line, name, secret, digits;
    while (passwd->count < USERS_MAX && lines_next(&rest, &line)) {
        struct user_line user;
        if (!fields_next(&line, ':', &name) || !fields_next(&line, ':', &secret) ||
            !fields_next(&line, ':', &digits) || name.length == 0 ||
            !number_parse_u64(digits, &user.user, NULL))
            continue;
        user.at = (size_t)(name.bytes - passwd->text);
        user.length = name.length;
        VECTOR_PUSH(passwd, user);
    }
    if (passwd->count > 0)
        qsort(passwd->items, passwd->count, sizeof *passwd->items, compare_users);
    return passwd;
}

void passwd_free(struct passwd **passwd)
{
    if (!*passwd)
        return;
    free((*passwd)->text);
    free((*passwd)->items);
    free(*passwd);
    *passwd = NULL;
}

struct raw_text passwd_name(const struct passwd *passwd, uint64_t user)
{
    size_t from = 0, to = passwd->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (passwd->items[middle].user < user)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == passwd->count || passwd->items[from].user != user)
        return (struct raw_text){NULL, 0};
    return (struct raw_text){passwd->text + passwd->items[from].at, passwd->items[from].length};
}
