/* What a GGUF header costs: CPU time warm, and growth of the peak memory.
 *
 *     262144 tokens       at most 10 ms warm, 1 MiB
 *     300 MB of metadata  about the time of reading it once, 1 MiB
 *
 * Prints the ratio to reading the same bytes with plain pread() in this one run. The files are made
 * in the folder given. Usage: gguf_bench FOLDER [FILE...] */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "inspect/files/model_file.h"

enum { REPEATS = 9, PATH_SIZE = 4096 };

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Of this program alone: getrusage() would still know what the shell took. */
static long peak_kib(void)
{
    char line[128];
    long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "VmHWM: %ld", &kib);
    }
    if (file) {
        fclose(file);
    }
    return kib;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void put(FILE *file, uint64_t value, size_t size)
{
    fwrite(&value, 1, size, file); /* little-endian machines only */
}

static void put_string(FILE *file, const char *string, size_t length)
{
    put(file, length, 8);
    fwrite(string, 1, length, file);
}

/* A llama without tensors whose vocabulary has `tokens` strings of `length` bytes. */
static void make_file(const char *path, uint64_t tokens, size_t length)
{
    static const char architecture[] = "general.architecture", list[] = "tokenizer.ggml.tokens";
    char token[256];
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(1);
    }
    memset(token, 't', sizeof token);
    fwrite("GGUF", 1, 4, file);
    put(file, 3, 4);
    put(file, 0, 8);
    put(file, 2, 8);
    put_string(file, architecture, sizeof architecture - 1);
    put(file, 8, 4);
    put_string(file, "llama", 5);
    put_string(file, list, sizeof list - 1);
    put(file, 9, 4);
    put(file, 8, 4);
    put(file, tokens, 8);
    for (uint64_t i = 0; i < tokens; i++) {
        put_string(file, token, length ? length : i % 13);
    }
    fclose(file);
}

static double time_header(const char *path, long *grown_kib)
{
    double times[REPEATS];
    struct byte_opener opener = byte_opener_real();
    long before = peak_kib();
    for (int i = 0; i < REPEATS; i++) {
        struct arena *arena = arena_new();
        struct model_file *file = malloc(sizeof *file);
        struct problem problem = {""};
        double start = now_ms();
        if (!model_file_read(&opener, path, arena, file, &problem)) {
            fprintf(stderr, "%s\n", problem.text);
            exit(1);
        }
        times[i] = now_ms() - start;
        free(file);
        arena_free(&arena);
    }
    *grown_kib = peak_kib() - before;
    qsort(times, REPEATS, sizeof *times, by_value);
    return times[REPEATS / 2];
}

/* The whole file through a buffer of the same size, nothing looked at. */
static double time_plain(const char *path)
{
    static char buffer[32 * 1024];
    double times[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
        int descriptor = open(path, O_RDONLY | O_CLOEXEC);
        double start = now_ms();
        while (read(descriptor, buffer, sizeof buffer) > 0) {
        }
        times[i] = now_ms() - start;
        close(descriptor);
    }
    qsort(times, REPEATS, sizeof *times, by_value);
    return times[REPEATS / 2];
}

static void report(const char *path, const char *name)
{
    long grown_kib;
    double header_ms = time_header(path, &grown_kib), plain_ms = time_plain(path);
    printf("%-28s %8.2f ms  %6.2f x plain read  peak +%ld KiB\n", name, header_ms,
           header_ms / plain_ms, grown_kib);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        uint64_t tokens;
        size_t length; /* 0: 0 to 12 bytes, as vocabularies are */
    } files[] = {
        {"262144 tokens", 262144, 0},
        {"300 MB, strings of 12", 15000000, 12},
        {"300 MB, strings of 250", 1162790, 250},
    };
    char path[PATH_SIZE];
    if (argc < 2) {
        fprintf(stderr, "usage: gguf_bench FOLDER [FILE...]\n");
        return 2;
    }
    snprintf(path, sizeof path, "%s/gguf_bench.gguf", argv[1]);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        make_file(path, files[i].tokens, files[i].length);
        report(path, files[i].name);
        unlink(path);
    }
    for (int i = 2; i < argc; i++) {
        report(argv[i], argv[i]);
    }
    return 0;
}
