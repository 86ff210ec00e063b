#include <string.h>

#include "base/fatal.h"
#include "gpu/wddm/pdh_session.h"
#include "os/clock.h"
#include "os/library.h"

#include <stdlib.h>

/* 1601 to 1970 in units of 100 ns. */
static const int64_t epoch_100ns = 116444736000000000;

struct pdh_query {
    struct library *library;
    struct pdh_session *session;
};

/* False when one is missing without which nothing works. */
static bool find_calls(struct library *library, struct pdh_calls *calls)
{
    const struct {
        const char *name;
        void *place;
        bool needed;
    } functions[] = {
        {"PdhOpenQueryW", &calls->open_query, true},
        {"PdhAddEnglishCounterW", &calls->add_english_counter, true},
        {"PdhCollectQueryData", &calls->collect, true},
        {"PdhGetRawCounterArrayW", &calls->raw_array, true},
        {"PdhCloseQuery", &calls->close_query, true},
        {"PdhRemoveCounter", &calls->remove_counter, false},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *address = library_symbol(library, functions[i].name);
        if (!address && functions[i].needed)
            return false;
        memcpy(functions[i].place, &address, sizeof address);
    }
    return true;
}

struct pdh_query *pdh_query_open(uint32_t *status)
{
    struct problem problem;
    struct pdh_calls calls;
    *status = PDH_NOT_ASKED;
    struct library *library = library_open("pdh.dll", &problem);
    if (!library)
        return NULL;
    struct pdh_session *session =
        find_calls(library, &calls) ? pdh_session_open(&calls, status) : NULL;
    if (!session) {
        library_close(&library);
        return NULL;
    }
    struct pdh_query *query = memory_new(sizeof *query);
    query->library = library;
    query->session = session;
    return query;
}

void pdh_query_add_missing(struct pdh_query *query)
{
    pdh_session_add_missing(query->session);
}

void pdh_query_collect(struct pdh_query *query, struct arena *arena,
                       struct pdh_collection *collection)
{
    pdh_session_collect(query->session, arena, collection);
    collection->time_100ns = clock_wall_ns() / 100 + epoch_100ns;
}

void pdh_query_close(struct pdh_query **query)
{
    if (!*query)
        return;
    pdh_session_close(&(*query)->session);
    library_close(&(*query)->library);
    free(*query);
    *query = NULL;
}
