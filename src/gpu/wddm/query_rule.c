#include "gpu/wddm/query_rule.h"

#define RETRY_NS INT64_C(30000000000)

enum query_step query_rule_next(const struct query_rule *rule, bool is_open, int64_t now_ns)
{
    bool is_time = !rule->waits || now_ns - rule->tried_ns >= RETRY_NS || now_ns < rule->tried_ns;
    if (!is_open)
        return is_time ? QUERY_OPEN : QUERY_WAIT;
    return rule->waits && is_time ? QUERY_ADD_MISSING : QUERY_COLLECT;
}

void query_rule_tried(struct query_rule *rule, int64_t now_ns)
{
    rule->waits = true;
    rule->tried_ns = now_ns;
}

static bool is_missing(uint32_t status)
{
    return status == PDH_NO_OBJECT || status == PDH_NO_COUNTER || status == PDH_NOT_ASKED;
}

void query_rule_saw(struct query_rule *rule, const struct pdh_collection *collection,
                    int64_t now_ns)
{
    bool lacks = false;
    for (int path = 0; path < PDH_PATH_COUNT; path++)
        lacks |= is_missing(collection->arrays[path].status);
    if (lacks && !rule->waits)
        rule->tried_ns = now_ns;
    rule->waits = lacks;
}
