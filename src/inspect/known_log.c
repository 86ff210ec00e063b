#include "inspect/known_log.h"

#include <stdlib.h>

#include "base/fatal.h"
#include "base/thread.h"
#include "inspect/files/byte_source.h"
#include "inspect/journal.h"

/* A log up to this size is read whole; of a larger one its end, and where that says nothing its
 * beginning: a server that has run for long loaded its model at its start. */
static const int64_t whole_bytes_max = 64 * 1024 * 1024;
static const int64_t part_bytes = 32 * 1024 * 1024;
/* How long after a read the journal is asked again: at first, and at most. */
static const int64_t first_pause_ns = INT64_C(10) * 1000000000;
static const int64_t last_pause_ns = INT64_C(3600) * 1000000000;
enum { CHUNK_SIZE = 256 * 1024 };

struct known_log *known_log_take(const struct known_log *log)
{
    struct known_log *taken = (struct known_log *)log;
    reference_take(&taken->reference);
    return taken;
}

void known_log_drop(struct known_log **log)
{
    if (*log && reference_drop(&(*log)->reference)) {
        load_log_free(&(*log)->log);
        free(*log);
    }
    *log = NULL;
}

static void feed(struct known_log *log, const struct byte_source *source, int64_t from,
                 int64_t bytes)
{
    char *chunk = memory_new(CHUNK_SIZE);
    log->log = load_log_new();
    log->fed_from = (uint64_t)from;
    while (bytes > 0) {
        size_t size = bytes < CHUNK_SIZE ? (size_t)bytes : CHUNK_SIZE;
        if (!byte_source_read(source, from, chunk, size))
            break;
        load_log_feed(log->log, (struct raw_text){chunk, size});
        from += (int64_t)size;
        bytes -= (int64_t)size;
    }
    load_log_end(log->log);
    free(chunk);
}

struct known_log *known_log_of_file(const struct root *root, const char *place,
                                    const struct root_file_facts *facts)
{
    const struct byte_opener opener = byte_opener_root(root);
    struct byte_source source;
    struct problem problem;
    if (!facts->regular || !opener.open(&opener, place, &source, &problem))
        return NULL;
    struct known_log *log = memory_new(sizeof *log);
    reference_start(&log->reference);
    log->facts = *facts;
    if (source.size <= whole_bytes_max) {
        feed(log, &source, 0, source.size);
    } else {
        feed(log, &source, source.size - part_bytes, part_bytes);
        if (load_log_run_count(log->log) == 0) {
            load_log_free(&log->log);
            feed(log, &source, 0, part_bytes);
        }
    }
    byte_source_close(&source);
    return log;
}

struct known_log *known_log_of_journal(int64_t pid, int64_t since_ns, uint64_t inode,
                                       const struct known_log *before)
{
    struct known_log *log = memory_new(sizeof *log);
    reference_start(&log->reference);
    log->log = load_log_new();
    log->facts.inode = inode;
    log->of_journal = true;
    log->empty = !journal_read(pid, since_ns, log->log);
    log->read_ns = thread_clock_ns();
    log->pause_ns = !before                            ? first_pause_ns
                    : before->pause_ns < last_pause_ns ? before->pause_ns * 2
                                                       : last_pause_ns;
    return log;
}

bool known_log_is_of_journal(const struct known_log *log, uint64_t inode)
{
    return log->of_journal && log->facts.inode == inode;
}

bool known_log_is_due(const struct known_log *log)
{
    return thread_clock_ns() - log->read_ns >= log->pause_ns;
}
