/* Texts of processes that cost something to make and seldom change, kept from sample to sample:
 * the redacted command line, the id and the label. Keyed by identity; pure. */
#ifndef SAMPLER_PROCESS_WORDS_H
#define SAMPLER_PROCESS_WORDS_H

#include "base/arena.h"
#include "base/text.h"
#include "inspect/classify.h"
#include "reading/identity.h"
#include "snapshot/snapshot.h"

struct process_words;

struct process_words *process_words_new(void);
void process_words_free(struct process_words **words);
/* Starts a sample; processes not asked about in it are forgotten at the next start. */
void process_words_begin(struct process_words *words);
/* Copies in the arena. `process` NULL: nothing is known of it. What the classing remembers of it is
 * valid until the next call. */
struct classify_memory *process_words_of(struct process_words *words, struct arena *arena,
                                         struct identity identity,
                                         const struct process_reading *process, struct text *id,
                                         struct text *label, struct text_list *redacted);

#endif
