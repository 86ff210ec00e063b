/* Expected values: what a process instance may and may not have written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/log_place.h"

#define RUN(path, port, size)                                                                      \
    "llama_server: initializing ...\nsrv    load_model: loading model '" path "'\n"                \
    "load_tensors: CUDA0 model buffer size = " size " MiB\n"                                       \
    "llama_server: listening on http://127.0.0.1:" port "\n"

static const char two_runs[] =
    RUN("/m/old.gguf", "8120", "1.00") RUN("/m/new.gguf", "8121", "2.00");
/* Where the second run begins, and where it ends. */
static const int64_t second = sizeof RUN("/m/old.gguf", "8120", "1.00") - 1;
static const int64_t end = sizeof two_runs - 1;

static const char children[] =
    "llama_server: initializing ...\n"
    "[48429] llama_server: initializing ...\n[48429] srv    load_model: loading model '/m/a.gguf'\n"
    "[48429] load_tensors: CUDA0 model buffer size = 1.00 MiB\n"
    "[48430] llama_server: initializing ...\n[48430] srv    load_model: loading model '/m/b.gguf'\n"
    "[48430] load_tensors: CUDA0 model buffer size = 2.00 MiB\n";

static const char journal[] =
    "Aug 22 17:36:22 h s[100]: load_tensors: CUDA0 model buffer size = 1.00 MiB\n";
static const char ollama[] =
    "time=2025-08-24T08:26:00Z msg=\"starting runner\" cmd=\"ollama runner --model /b/1 --port "
    "51234\"\n"
    "time=2025-08-24T08:26:01Z msg=\"kv cache\" device=CUDA0 size=\"1.0 MiB\"\n"
    "time=2025-08-24T08:26:02Z msg=\"llama runner started in 9.16 seconds\"\n"
    "time=2025-08-24T08:36:00Z msg=\"starting runner\" cmd=\"ollama runner --model /b/2 --port "
    "51235\"\n"
    "time=2025-08-24T08:36:01Z msg=\"kv cache\" device=CUDA0 size=\"2.0 MiB\"\n";

#define RAW(literal)                                                                               \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }
#define PORTS(...)                                                                                 \
    .ports = (const int64_t[]){__VA_ARGS__},                                                       \
    .port_count = sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), .ports_known = true
/* 2025-08-24T08:25:59Z and T08:40:00Z */
#define BEFORE INT64_C(1756023959000000000)
#define AFTER INT64_C(1756024800000000000)

struct row {
    const char *what, *log;
    struct log_place place;
    int want; /* MiB of its first buffer; 0: no run */
    enum strength strength;
};

static int found_size(const struct log_place_found *found)
{
    return found->run && found->run->buffer_count ? (int)(found->run->buffers[0].bytes >> 20) : 0;
}

static void check(const struct row *row)
{
    struct load_log *log = load_log_new();
    struct log_place place = row->place;
    place.start_ns = place.start_ns ? place.start_ns : TIME_UNKNOWN;
    load_log_feed(log, raw_from_string(row->log));
    load_log_end(log);
    struct log_place_found found = log_place_find(log, &place);
    int got = found_size(&found);
    if (got != row->want || (got && found.strength != row->strength) || !found.reason) {
        fail_msg("%s: got %d (%s, strength %d)", row->what, got, found.reason, (int)found.strength);
    }
    load_log_free(&log);
}

static void test_rows(void **state)
{
    (void)state;
    const struct row rows[] = {
        {"its own file", two_runs, {.source = LOG_OWN_OUTPUT}, 2, STRENGTH_STRONG},
        {"its own file, everything fits",
         two_runs,
         {.source = LOG_OWN_OUTPUT, .model_path = RAW("/m/new.gguf"), PORTS(8121)},
         2,
         STRENGTH_STRONG},
        {"the process of the older run gets nothing of the newer",
         two_runs,
         {.source = LOG_OWN_OUTPUT, .model_path = RAW("/m/old.gguf")},
         0,
         0},
        {"unless its descriptor ends before it",
         two_runs,
         {.source = LOG_OWN_OUTPUT,
          .model_path = RAW("/m/old.gguf"),
          .position = measured_known(second)},
         1,
         STRENGTH_STRONG},
        {"the newer one's descriptor is behind its own start",
         two_runs,
         {.source = LOG_OWN_OUTPUT, .position = measured_known(end)},
         2,
         STRENGTH_STRONG},
        {"it has written nothing",
         two_runs,
         {.source = LOG_OWN_OUTPUT, .position = measured_known(0)},
         0,
         0},
        {"reading began in the middle",
         two_runs,
         {.source = LOG_OWN_OUTPUT, .position = measured_known(1000), .fed_from = 2000},
         0,
         0},
        {"a shared file, and nothing ties",
         two_runs,
         {.source = LOG_OWN_OUTPUT, .file_is_shared = true},
         0,
         0},
        {"a shared file, tied by the port",
         two_runs,
         {.source = LOG_OWN_OUTPUT, .file_is_shared = true, PORTS(8121)},
         2,
         STRENGTH_STRONG},
        {"a shared file, tied by the model",
         two_runs,
         {.source = LOG_OWN_OUTPUT, .file_is_shared = true, .model_path = RAW("new.gguf")},
         2,
         STRENGTH_STRONG},
        {"another port", two_runs, {.source = LOG_OWN_OUTPUT, PORTS(9000)}, 0, 0},
        {"another model",
         two_runs,
         {.source = LOG_OWN_OUTPUT, .model_path = RAW("/m/else.gguf"), PORTS(8121)},
         0,
         0},
        {"written before it started",
         two_runs,
         {.source = LOG_OWN_OUTPUT, .start_ns = AFTER, .modified_ns = measured_known(BEFORE)},
         0,
         0},
        {"a router's own output holds its children, not it",
         children,
         {.source = LOG_OWN_OUTPUT},
         0,
         0},
        {"a child by its port", children, {.source = LOG_PARENT, PORTS(48429)}, 1, STRENGTH_STRONG},
        {"the other child",
         children,
         {.source = LOG_PARENT, PORTS(48430), .model_path = RAW("/m/b.gguf")},
         2,
         STRENGTH_STRONG},
        {"a child by its model alone",
         children,
         {.source = LOG_PARENT, .model_path = RAW("/m/b.gguf")},
         2,
         STRENGTH_HINT},
        {"nobody's child", children, {.source = LOG_PARENT, PORTS(50000)}, 0, 0},
        {"the journal's process",
         journal,
         {.source = LOG_JOURNAL, .pid = measured_known(100)},
         1,
         STRENGTH_STRONG},
        {"another one's journal",
         journal,
         {.source = LOG_JOURNAL, .pid = measured_known(101)},
         0,
         0},
        {"Ollama's first runner, though a newer one runs",
         ollama,
         {.source = LOG_PARENT, PORTS(51234), .start_ns = BEFORE},
         1,
         STRENGTH_STRONG},
        {"Ollama's second runner",
         ollama,
         {.source = LOG_PARENT, PORTS(51235), .model_path = RAW("/b/2"), .start_ns = BEFORE},
         2,
         STRENGTH_STRONG},
        {"lines older than the process",
         ollama,
         {.source = LOG_PARENT, PORTS(51235), .start_ns = AFTER},
         0,
         0},
        {"an application's log needs a tie", two_runs, {.source = LOG_APPLICATION}, 0, 0},
        {"an application's log and the model",
         two_runs,
         {.source = LOG_APPLICATION, .model_path = RAW("/m/new.gguf")},
         2,
         STRENGTH_HINT},
        {"an empty log", "", {.source = LOG_OWN_OUTPUT}, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check(&rows[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
