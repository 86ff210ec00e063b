/* In WSL, how it stands with the Windows host: the words behind the mode. */
#ifndef VIEW_HOST_WORDS_H
#define VIEW_HOST_WORDS_H

#include "snapshot/snapshot.h"

/* The source "windows"; NULL where there is no Windows host. */
const struct source_status *host_source(const struct snapshot *snapshot);
/* "Windows live", "Windows starting", "Windows stale", "Windows off", "no interop", "Windows
 * failed"; NULL where there is no Windows host. Static. */
const char *host_words(const struct snapshot *snapshot);

#endif
