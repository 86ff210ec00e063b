#include "rules/pairing_book.h"

#include <stdlib.h>

#include "base/vector.h"

enum { PATIENCE = 3 }; /* refreshes that one side of a match may outlive the other */

void pairing_book_free(struct pairing_book *book)
{
    VECTOR_FREE(&book->hosts);
    VECTOR_FREE(&book->candidates);
}

static int compare_hosts(const void *a, const void *b)
{
    const struct known_host *left = a, *right = b;
    return (left->pid > right->pid) - (left->pid < right->pid);
}

static int compare_candidates(const void *a, const void *b)
{
    const struct known_candidate *left = a, *right = b;
    if (left->identity.pid != right->identity.pid)
        return left->identity.pid < right->identity.pid ? -1 : 1;
    return (left->identity.start_stamp > right->identity.start_stamp) -
           (left->identity.start_stamp < right->identity.start_stamp);
}

struct known_host *pairing_book_host(const struct pairing_book *book, int64_t pid)
{
    struct known_host key = {.pid = pid};
    if (book->hosts.count == 0)
        return NULL;
    return bsearch(&key, book->hosts.items, book->hosts.count, sizeof key, compare_hosts);
}

struct known_candidate *pairing_book_candidate(const struct pairing_book *book,
                                               struct identity identity)
{
    struct known_candidate key = {.identity = identity};
    if (book->candidates.count == 0)
        return NULL;
    return bsearch(&key, book->candidates.items, book->candidates.count, sizeof key,
                   compare_candidates);
}

static void see_hosts(struct pairing_book *book, const struct pairing_facts *facts)
{
    size_t known = book->hosts.count;
    for (size_t i = 0; i < facts->host_count; i++) {
        struct known_host key = {.pid = facts->hosts[i].pid}, *host = NULL;
        if (known > 0)
            host = bsearch(&key, book->hosts.items, known, sizeof key, compare_hosts);
        key.first = key.last = book->refresh;
        if (host)
            host->last = book->refresh;
        else
            VECTOR_PUSH(&book->hosts, key);
    }
    if (book->hosts.count > known)
        qsort(book->hosts.items, book->hosts.count, sizeof *book->hosts.items, compare_hosts);
}

static void see_candidates(struct pairing_book *book, const struct pairing_facts *facts)
{
    size_t known = book->candidates.count;
    for (size_t i = 0; i < facts->candidate_count; i++) {
        struct known_candidate key = {.identity = facts->candidates[i].identity}, *candidate = NULL;
        if (known > 0)
            candidate =
                bsearch(&key, book->candidates.items, known, sizeof key, compare_candidates);
        key.first = key.last = book->refresh;
        if (candidate)
            candidate->last = book->refresh;
        else
            VECTOR_PUSH(&book->candidates, key);
    }
    if (book->candidates.count > known)
        qsort(book->candidates.items, book->candidates.count, sizeof *book->candidates.items,
              compare_candidates);
}

/* Everybody who belonged to a match by counts is open again, and doubted. */
static void doubt_batch(struct pairing_book *book, uint32_t batch)
{
    for (size_t i = 0; i < book->hosts.count; i++) {
        struct known_host *host = &book->hosts.items[i];
        if (host->how != BOOK_COUNTED || host->batch != batch)
            continue;
        struct known_candidate *partner = pairing_book_candidate(book, host->partner);
        if (partner) {
            partner->paired = false;
            partner->doubted = true;
        }
        host->how = BOOK_OPEN;
        host->doubted = true;
        host->partner_gone = 0;
    }
}

void pairing_book_doubt_counts(struct pairing_book *book)
{
    for (size_t i = 0; i < book->hosts.count; i++)
        if (book->hosts.items[i].how == BOOK_COUNTED)
            doubt_batch(book, book->hosts.items[i].batch);
}

static void end_candidate(struct pairing_book *book, struct known_candidate *candidate,
                          struct pairing_changes *changes)
{
    if (!candidate->paired) {
        changes->open_candidates_gone++;
        changes->ended.identity = candidate->identity;
        return;
    }
    for (size_t i = 0; i < book->hosts.count; i++) {
        struct known_host *host = &book->hosts.items[i];
        if (host->how != BOOK_OPEN && identity_equal(host->partner, candidate->identity) &&
            host->partner_gone == 0)
            host->partner_gone = book->refresh;
    }
}

static void drop_candidates(struct pairing_book *book, struct pairing_changes *changes)
{
    size_t kept = 0;
    for (size_t i = 0; i < book->candidates.count; i++) {
        struct known_candidate *candidate = &book->candidates.items[i];
        if (candidate->last == book->refresh)
            book->candidates.items[kept++] = *candidate;
        else
            end_candidate(book, candidate, changes);
    }
    book->candidates.count = kept;
}

/* A pinned number stays its process's for as long as that lives, listed or not. */
static void drop_hosts(struct pairing_book *book, struct pairing_changes *changes)
{
    size_t kept = 0;
    for (size_t i = 0; i < book->hosts.count; i++) {
        struct known_host *host = &book->hosts.items[i];
        bool listed = host->last == book->refresh;
        if (!listed && host->how == BOOK_OPEN) {
            changes->open_hosts_gone++;
            changes->ended.host_pid = host->pid;
        }
        if (listed || (host->how != BOOK_OPEN && host->partner_gone == 0))
            book->hosts.items[kept++] = *host;
    }
    book->hosts.count = kept;
}

/* One side of a match outlives the other: it was wrong, or the driver is late. */
static void check_ends(struct pairing_book *book)
{
    for (size_t i = 0; i < book->hosts.count; i++) {
        struct known_host *host = &book->hosts.items[i];
        bool outlived = host->partner_gone != 0 && host->last == book->refresh &&
                        book->refresh - host->partner_gone >= PATIENCE;
        bool idle = book->refresh - host->last >= PATIENCE;
        if (host->how == BOOK_COUNTED && (outlived || idle)) {
            doubt_batch(book, host->batch);
        } else if (host->how == BOOK_PINNED && outlived) {
            host->how = BOOK_OPEN;
            host->outside = true;
            host->partner_gone = 0;
        }
    }
}

struct pairing_changes pairing_book_see(struct pairing_book *book,
                                        const struct pairing_facts *facts)
{
    struct pairing_changes changes = {.new_hosts = 0};
    book->refresh++;
    see_hosts(book, facts);
    see_candidates(book, facts);
    drop_candidates(book, &changes);
    drop_hosts(book, &changes);
    check_ends(book);
    for (size_t i = 0; i < book->hosts.count; i++)
        if (book->hosts.items[i].first == book->refresh) {
            changes.new_hosts++;
            changes.host = &book->hosts.items[i];
        }
    for (size_t i = 0; i < book->candidates.count; i++)
        if (book->candidates.items[i].first == book->refresh) {
            changes.new_candidates++;
            changes.candidate = &book->candidates.items[i];
        }
    return changes;
}

void pairing_book_pair(struct known_host *host, struct known_candidate *candidate,
                       enum pairing_how how, uint32_t batch)
{
    host->how = how;
    host->partner = candidate->identity;
    host->batch = batch;
    host->partner_gone = 0;
    candidate->paired = true;
}

bool pairing_book_contradicts(const struct pairing_book *book, int64_t host_pid,
                              struct identity identity)
{
    for (size_t i = 0; i < book->hosts.count; i++) {
        const struct known_host *host = &book->hosts.items[i];
        if (host->pid == host_pid || host->how == BOOK_OPEN || host->partner_gone != 0)
            continue;
        if ((host->pid < host_pid) != (identity_start_compare(host->partner, identity) < 0))
            return true;
    }
    return false;
}
