/* What is remembered of host pids and candidates from refresh to refresh, and which belong
 * together. Private to container_pairing.c. */
#ifndef RULES_PAIRING_BOOK_H
#define RULES_PAIRING_BOOK_H

#include "rules/container_pairing.h"
#include "rules/pairing_order.h"

enum pairing_how { BOOK_OPEN, BOOK_PINNED, BOOK_COUNTED };

struct known_host {
    int64_t pid;
    struct identity partner; /* unless open */
    uint32_t first, last;    /* refreshes in which it was listed */
    uint32_t batch;          /* of a match by counts */
    uint32_t partner_gone;   /* since this refresh; 0: it lives */
    enum pairing_how how;
    bool outside; /* it outlived the process it was pinned to: it is none of ours */
    bool doubted; /* it was part of a match by counts that ended on one side */
};

struct known_candidate {
    struct identity identity;
    uint32_t first, last;
    bool paired, doubted;
};

struct pairing_book {
    struct {
        struct known_host *items; /* ascending by pid */
        size_t count, capacity;
    } hosts;
    struct {
        struct known_candidate *items; /* ascending by pid, then stamp */
        size_t count, capacity;
    } candidates;
    uint32_t refresh; /* complete ones, from 1 */
};

/* What changed between two refreshes. */
struct pairing_changes {
    size_t new_hosts, new_candidates;
    size_t open_hosts_gone, open_candidates_gone;
    struct known_host *host; /* the last new one; valid until the next pairing_book_see() */
    struct known_candidate *candidate;
    struct anchor ended; /* the last open ones that ended */
};

void pairing_book_free(struct pairing_book *book);
struct known_host *pairing_book_host(const struct pairing_book *book, int64_t pid);
struct known_candidate *pairing_book_candidate(const struct pairing_book *book,
                                               struct identity identity);
/* Starts a refresh with complete facts. A match that outlives one of its sides by some refreshes
 * was wrong: one by counts is open again, with all made at once with it; a pinned host is outside.
 */
struct pairing_changes pairing_book_see(struct pairing_book *book,
                                        const struct pairing_facts *facts);
void pairing_book_pair(struct known_host *host, struct known_candidate *candidate,
                       enum pairing_how how, uint32_t batch);
/* Opens every match by counts. */
void pairing_book_doubt_counts(struct pairing_book *book);
/* Does any living match have the two sides in the other order? */
bool pairing_book_contradicts(const struct pairing_book *book, int64_t host_pid,
                              struct identity identity);

#endif
