#include "gpu/drm/slow_clients.h"

static const int64_t budget_ns = INT64_C(20) * 1000000;
static const int64_t rest_min_ns = INT64_C(2) * 1000000000;
static const int64_t rest_max_ns = INT64_C(60) * 1000000000;

enum { REST_FACTOR = 50 };

static bool is_same(const struct slow_client *a, const struct slow_client *b)
{
    return a->fd == b->fd && identity_equal(a->holder, b->holder);
}

void slow_clients_note(struct slow_clients *slow, struct slow_client client, int64_t began_ns,
                       int64_t ended_ns)
{
    int64_t took_ns = ended_ns - began_ns;
    size_t place = 0;
    if (took_ns <= budget_ns) {
        return;
    }
    int64_t rest_ns = took_ns < rest_max_ns / REST_FACTOR ? took_ns * REST_FACTOR : rest_max_ns;
    rest_ns = rest_ns < rest_min_ns ? rest_min_ns : rest_ns;
    /* Its own place, else the one that ends first. */
    for (size_t i = 0; i < SLOW_CLIENTS_MAX; i++) {
        if (slow->items[i].until_ns != 0 && is_same(&slow->items[i].client, &client)) {
            place = i;
            break;
        }
        place = slow->items[i].until_ns < slow->items[place].until_ns ? i : place;
    }
    slow->items[place].client = client;
    slow->items[place].until_ns = ended_ns + rest_ns;
}

bool slow_clients_is_left_out(const struct slow_clients *slow, struct slow_client client,
                              int64_t now_ns)
{
    for (size_t i = 0; i < SLOW_CLIENTS_MAX; i++) {
        if (slow->items[i].until_ns > now_ns && is_same(&slow->items[i].client, &client)) {
            return true;
        }
    }
    return false;
}
