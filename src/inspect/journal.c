#include "inspect/journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fatal.h"
#include "base/lines.h"
#include "base/number.h"
#include "base/thread.h"
#include "os/helper_door.h"

#define SECOND_NS INT64_C(1000000000)
#define MILLISECOND_NS INT64_C(1000000)

/* A load is among the first that a process writes. */
static const int64_t bytes_max = 8 * 1024 * 1024;
static const int64_t read_ns = 3 * SECOND_NS;
enum { CHUNK_SIZE = 64 * 1024, ARGUMENT_SIZE = 64, SLACK_SECONDS = 2, REAP_MS = 250, LOOK_MS = 5 };

bool journal_stream_parse(struct raw_text value, uint64_t *inode)
{
    struct raw_text device, number;
    uint64_t ignored;
    return raw_split(value, ':', &device, &number) && number_parse_u64(device, &ignored, NULL) &&
           number_parse_u64(number, inode, NULL) && *inode != 0;
}

static int64_t feed(struct helper_process *process, struct load_log *log)
{
    char *chunk = memory_new(CHUNK_SIZE);
    int64_t bytes = 0, until_ns = thread_clock_ns() + read_ns;
    enum helper_transfer transfer = HELPER_MOVED;
    while (transfer != HELPER_AT_END && bytes < bytes_max && thread_clock_ns() < until_ns) {
        struct helper_waiting waiting = {.process = process};
        size_t length;
        helper_door_wait(&waiting, 1, NULL, until_ns);
        transfer = helper_process_read(process, chunk, CHUNK_SIZE, &length);
        if (transfer == HELPER_MOVED) {
            load_log_feed(log, (struct raw_text){chunk, length});
            bytes += (int64_t)length;
        }
    }
    free(chunk);
    return bytes;
}

static void end(struct helper_process **process)
{
    int64_t until_ns = thread_clock_ns() + REAP_MS * MILLISECOND_NS;
    helper_process_kill(*process);
    while (!helper_process_has_ended(*process, NULL) && thread_clock_ns() < until_ns)
        helper_door_wait(NULL, 0, NULL, thread_clock_ns() + LOOK_MS * MILLISECOND_NS);
    helper_process_free(process);
}

bool journal_read(int64_t pid, int64_t since_ns, struct load_log *log)
{
    char since[ARGUMENT_SIZE], match[ARGUMENT_SIZE];
    const char *const argv[] = {"journalctl",   "--no-pager", "--quiet", "--all",
                                "--output=cat", since,        match,     NULL};
    struct problem problem;
    snprintf(since, sizeof since, "--since=@%" PRId64, since_ns / SECOND_NS - SLACK_SECONDS);
    snprintf(match, sizeof match, "_PID=%" PRId64, pid);
    struct helper_process *process = helper_process_start(argv, &problem);
    if (!process)
        return false;
    helper_process_close_input(process);
    int64_t bytes = feed(process, log);
    load_log_end(log);
    end(&process);
    return bytes > 0;
}
