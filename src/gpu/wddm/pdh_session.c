#include "gpu/wddm/pdh_session.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "gpu/wddm/pdh_array.h"

/* PDH_QUERY_PERF_DATA_TIMEOUT */
static const uint32_t timed_out = 0xC0000BFE;

enum { PATH_UNITS = 128 };

struct pdh_counter {
    void *handle;    /* NULL: not added */
    uint32_t status; /* why not; while added, PDH_VALID_DATA */
    struct pdh_buffer buffer;
};

struct pdh_session {
    struct pdh_calls calls;
    void *query;          /* NULL: closed, to be opened anew */
    uint32_t open_status; /* why it could not be */
    unsigned failures;    /* in a row */
    struct pdh_counter counters[PDH_PATH_COUNT];
};

/* The paths are ASCII. */
static void widen(const char *text, uint16_t wide[PATH_UNITS])
{
    size_t i = 0;
    for (; text[i] && i < PATH_UNITS - 1; i++)
        wide[i] = (unsigned char)text[i];
    wide[i] = 0;
}

static void add(struct pdh_session *session, enum pdh_path path)
{
    struct pdh_counter *counter = &session->counters[path];
    uint16_t wide[PATH_UNITS];
    void *handle = NULL;
    widen(pdh_path_text(path), wide);
    counter->status = session->calls.add_english_counter(session->query, wide, 0, &handle);
    counter->handle = counter->status == PDH_VALID_DATA ? handle : NULL;
}

void pdh_session_add_missing(struct pdh_session *session)
{
    for (int i = 0; i < PDH_PATH_COUNT && session->query; i++)
        if (!session->counters[i].handle)
            add(session, (enum pdh_path)i);
}

static void drop_query(struct pdh_session *session)
{
    for (int i = 0; i < PDH_PATH_COUNT; i++)
        session->counters[i].handle = NULL; /* they go with the query */
    if (session->query)
        session->calls.close_query(session->query);
    session->query = NULL;
}

static bool open_query(struct pdh_session *session)
{
    void *query = NULL;
    session->open_status = session->calls.open_query(NULL, 0, &query);
    session->query = session->open_status == PDH_VALID_DATA ? query : NULL;
    session->failures = 0;
    pdh_session_add_missing(session);
    return session->query != NULL;
}

struct pdh_session *pdh_session_open(const struct pdh_calls *calls, uint32_t *status)
{
    struct pdh_session *session = memory_new(sizeof *session);
    session->calls = *calls;
    for (int i = 0; i < PDH_PATH_COUNT; i++)
        session->counters[i].status = PDH_NOT_ASKED;
    bool is_open = open_query(session);
    *status = session->open_status;
    if (!is_open)
        pdh_session_close(&session);
    return session;
}

void pdh_session_close(struct pdh_session **session)
{
    if (!*session)
        return;
    drop_query(*session);
    for (int i = 0; i < PDH_PATH_COUNT; i++)
        pdh_buffer_free(&(*session)->counters[i].buffer);
    free(*session);
    *session = NULL;
}

/* What a query says that is broken as a whole, rather than one counter's absence. */
static bool is_failure(uint32_t status)
{
    return status == PDH_INVALID_HANDLE || status == PDH_INVALID_ARGUMENT ||
           status == PDH_INVALID_DATA || status == timed_out;
}

/* The provider has gone (a driver that is updated): the counter is added again when it is asked
 * for, so that it is found when the provider is back. */
static void forget_gone(struct pdh_session *session, struct pdh_counter *counter, uint32_t status)
{
    if (status != PDH_NO_OBJECT && status != PDH_NO_COUNTER)
        return;
    if (session->calls.remove_counter)
        session->calls.remove_counter(counter->handle);
    counter->handle = NULL;
    counter->status = status;
}

static bool has_counter(const struct pdh_session *session)
{
    for (int i = 0; i < PDH_PATH_COUNT; i++)
        if (session->counters[i].handle)
            return true;
    return false;
}

/* A query without counters is no failure, and brings nothing. */
static uint32_t collect(struct pdh_session *session)
{
    if (!session->query)
        return session->open_status;
    uint32_t status = session->calls.collect(session->query);
    if (status == PDH_NO_DATA)
        return PDH_VALID_DATA;
    return !pdh_is_valid(status) && !has_counter(session) ? PDH_VALID_DATA : status;
}

static bool read_counter(struct pdh_session *session, struct pdh_counter *counter,
                         uint32_t query_status, struct arena *arena, struct pdh_raw_array *array)
{
    *array = (struct pdh_raw_array){.status = counter->status};
    if (!counter->handle)
        return true;
    array->status = query_status;
    if (!pdh_is_valid(query_status))
        return true;
    pdh_array_read(&session->calls, counter->handle, &counter->buffer, arena, array);
    forget_gone(session, counter, array->status);
    return !is_failure(array->status);
}

void pdh_session_collect(struct pdh_session *session, struct arena *arena,
                         struct pdh_collection *collection)
{
    memset(collection, 0, sizeof *collection);
    if (!session->query)
        open_query(session);
    collection->status = collect(session);
    bool good = !is_failure(collection->status);
    for (int i = 0; i < PDH_PATH_COUNT; i++)
        good = read_counter(session, &session->counters[i], collection->status, arena,
                            &collection->arrays[i]) &&
               good;
    session->failures = good ? 0 : session->failures + 1;
    if (session->failures >= PDH_FAILURES_MAX) {
        drop_query(session);
        session->open_status = collection->status;
    }
}
