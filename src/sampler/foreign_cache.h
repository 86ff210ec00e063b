/* The sizes of foreign contexts (rules/wsl_foreign.h) from one run to the next, as long as WSL's
 * virtual machine runs: gputaskman/wsl-foreign.json in the cache folder (XDG_CACHE_HOME, else
 * ~/.cache; on a recorded machine only XDG_CACHE_HOME). Hints: a file that is missing, of another
 * boot or format, or makes no sense, is as good as none, and is replaced. */
#ifndef SAMPLER_FOREIGN_CACHE_H
#define SAMPLER_FOREIGN_CACHE_H

#include <stdbool.h>

#include "base/text.h"
#include "rules/wsl_foreign.h"

struct foreign_cache;

struct foreign_cache *foreign_cache_new(bool recorded);
void foreign_cache_free(struct foreign_cache **cache);
/* What an earlier run in this boot has left. */
void foreign_cache_load(struct foreign_cache *cache, struct raw_text boot_id,
                        struct foreign_sizes *sizes);
/* Writes them when they differ from what is there; a failure is silent: they are only hints. */
void foreign_cache_save(struct foreign_cache *cache, const struct foreign_sizes *sizes);
/* The text of the file, in JSON, and back; false when it is of another boot or format. */
bool foreign_cache_parse(struct raw_text content, const char *boot_id, struct foreign_sizes *sizes);

#endif
