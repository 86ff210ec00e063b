#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>

#include "snapshot_builder.h"
#include "view/host_words.h"

/* Docs: docs/wsl.md, "How it stands with Windows". */
static const struct {
    enum source_state state;
    bool has_code;
    enum reason code;
    const char *words;
} states[] = {
    {SOURCE_STARTING, true, REASON_starting, "Windows starting"},
    {SOURCE_OK, false, REASON_not_reported, "Windows live"},
    {SOURCE_STALE, true, REASON_stale, "Windows stale"},
    {SOURCE_FAILED, true, REASON_call_failed, "Windows failed"},
    {SOURCE_OFF, true, REASON_host_off, "Windows off"},
    {SOURCE_OFF, true, REASON_no_interop, "no interop"},
};

static struct snapshot *wsl_with(const char *source, enum source_state state, bool has_code,
                                 enum reason code)
{
    struct snapshot *snapshot = build_snapshot();
    snapshot->mode = SNAPSHOT_WSL;
    snapshot->sources[snapshot->source_count++] = (struct source_status){.name = build_text("nvml"),
                                                                         .state = SOURCE_FAILED,
                                                                         .has_code = true,
                                                                         .code = REASON_no_interop};
    snapshot->sources[snapshot->source_count++] = (struct source_status){
        .name = build_text(source), .state = state, .has_code = has_code, .code = code};
    return snapshot;
}

static void test_states(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        struct snapshot *snapshot =
            wsl_with("windows", states[i].state, states[i].has_code, states[i].code);
        assert_string_equal(host_words(snapshot), states[i].words);
        snapshot->mode = SNAPSHOT_NATIVE; /* says nothing elsewhere */
        assert_null(host_words(snapshot));
        snapshot_drop(&snapshot);
    }
}

static void test_no_windows_source(void **state)
{
    (void)state;
    struct snapshot *snapshot = wsl_with("drm", SOURCE_OK, false, REASON_not_reported);
    assert_null(host_words(snapshot));
    snapshot_drop(&snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_no_windows_source),
    };
    return cmocka_run_group_tests_name("host_words", tests, NULL, NULL);
}
