/* How long a replay takes to know a whole recording: replay_bench DEMO.jsonl FOLDER MEGABYTES.
 *
 * Writes a recording of that size (the demo's snapshots, a second apart), and opens it twice: the
 * first time the index is made, the second time it lies beside the recording. "bare" is one pass
 * that only looks for line ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/file.h"
#include "base/thread.h"
#include "source/replay.h"
#include "timeline/recording.h"

static double seconds(void)
{
    return (double)thread_clock_ns() / 1e9;
}

static double cpu_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

/* One line with another time; the demo has its members in the order of our writer. */
static size_t put_line(FILE *out, const char *line, size_t size, long number)
{
    const char *at = strstr(line, "\"taken_at\":"), *end = strstr(line, "\"mode\":");
    char stamp[64];
    time_t wall = 1800000000 + number;
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", gmtime(&wall));
    size_t written = fwrite(line, 1, (size_t)(at - line), out);
    written += (size_t)fprintf(
        out, "\"taken_at\":\"%s\",\"monotonic_seconds\":%ld,\"interval_seconds\":1,", stamp,
        5000 + number);
    return written + fwrite(end, 1, size - (size_t)(end - line), out);
}

static void write_recording(const char *demo, const char *path, size_t wanted)
{
    char *bytes;
    size_t size, written = 0;
    struct problem problem;
    FILE *out = fopen(path, "w");
    if (!out || !file_read_all(demo, 1 << 24, &bytes, &size, &problem))
        exit(1);
    for (long number = 0; written < wanted;)
        for (char *at = bytes; at < bytes + size && written < wanted; number++) {
            char *end = memchr(at, '\n', (size_t)(bytes + size - at));
            written += put_line(out, at, (size_t)(end - at) + 1, number);
            at = end + 1;
        }
    fclose(out);
    free(bytes);
}

static void pass_over(const char *path)
{
    struct problem problem;
    struct recording *recording = recording_open(path, &problem);
    struct recording_line line;
    double began = cpu_seconds();
    while (recording && recording_next(recording, &line, &problem) != RECORDING_END)
        ;
    printf("bare       CPU %6.2f s\n", cpu_seconds() - began);
    recording_close(&recording);
}

static void open_it(const char *path, const char *what)
{
    struct problem problem;
    struct source_state_view state;
    double began = seconds(), cpu = cpu_seconds();
    struct source *source = replay_open(path, &problem);
    if (!source)
        exit(1);
    double first = seconds() - began;
    source_request(source, &(struct source_request){.kind = SOURCE_SET_PAUSED, .flag = true});
    source_request(source,
                   &(struct source_request){.kind = SOURCE_SEEK, .wall_ns = SOURCE_SEEK_END});
    do {
        thread_sleep_until(thread_clock_ns() + 2000000);
        source_get_state(source, &state);
    } while (state.position.read_share < 1 ||
             state.position.frame + 1 < state.position.frame_count);
    double end = seconds() - began;
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("%-10s CPU %6.2f s   first snapshot after %6.1f ms, the last after %6.2f s   %ld MiB\n",
           what, cpu_seconds() - cpu, first * 1e3, end, used.ru_maxrss / 1024);
    source_close(&source);
}

int main(int argc, char **argv)
{
    char path[1024], index[1032];
    if (argc != 4)
        return 2;
    snprintf(path, sizeof path, "%s/replay.jsonl", argv[2]);
    snprintf(index, sizeof index, "%s.idx", path);
    write_recording(argv[1], path, (size_t)atol(argv[3]) << 20);
    pass_over(path);
    open_it(path, "first");
    open_it(path, "again");
    remove(index);
    remove(path);
    return 0;
}
