/* Xid errors: the NVML helper as a process against the event set of the scriptable library. argv:
 * helper, library. What the calls do and answer: the public reference of NVML, "Event Handling
 * Methods". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "helper_session.h"

static const int64_t epoch_us = 1700000000000000;
enum { PATIENCE_MS = 20000 };

static struct helper_programs programs;

static const char two_devices[] = "device 0\n name NVIDIA A\n uuid GPU-1\n pci 00000000:01:00.0\n "
                                  "mem_total 8GiB\n mem_used 1GiB\n"
                                  "device 1\n name NVIDIA B\n uuid GPU-2\n pci 00000000:02:00.0\n "
                                  "mem_total 8GiB\n mem_used 1GiB\n";

static void start(struct helper_session *session, const char *script, const char *times)
{
    char text[4096];
    snprintf(text, sizeof text, "%s\n%s\n", two_devices, script);
    helper_session_start(session, &programs, NULL, text, times, epoch_us);
}

static void ask_for(struct helper_session *session, double seconds, bool watch)
{
    struct nvml_request request = {.wall_us = epoch_us + (int64_t)(seconds * 1e6),
                                   .running_ns = (int64_t)((100 + seconds) * 1e9),
                                   .interval_ns = 1000000000,
                                   .watch = watch};
    assert_true(helper_session_ask(session, &request, PATIENCE_MS));
}

static void ask(struct helper_session *session, double seconds)
{
    ask_for(session, seconds, true);
}

static void check_unknown(const struct helper_session *session, size_t device, enum reason why_not)
{
    const struct said *xid = &session->answer.adapters.items[device].xid_last;
    assert_int_equal(xid->how, HOW_UNAVAILABLE);
    assert_int_equal(xid->why_not, why_not);
    assert_int_equal(session->answer.adapters.items[device].xid_count.why_not, why_not);
}

static void check_xid(const struct helper_session *session, size_t device, int64_t value)
{
    const struct said *xid = &session->answer.adapters.items[device].xid_last;
    assert_int_equal(xid->how, HOW_MEASURED);
    assert_int_equal(xid->value, value);
}

static void end(struct helper_session *session)
{
    assert_int_equal(helper_session_end(session), 0);
    helper_session_free(session);
}

static void test_an_xid_is_told_of_its_device(void **state)
{
    (void)state;
    struct helper_session session;
    start(&session, "xid 1 13 at=1.5\nxid 1 31 at=3.2\nxid 1 43 at=3.3\nxid 0 79 at=4.5",
          "0,1,2,3,4,5");
    static const int64_t wanted[][2] = {{0, 0}, {0, 0}, {0, 13}, {0, 13}, {0, 43}, {79, 43}};
    for (int i = 0; i < 6; i++) {
        ask(&session, i);
        check_xid(&session, 0, wanted[i][0]);
        check_xid(&session, 1, wanted[i][1]);
    }
    assert_int_equal(session.answer.adapters.items[0].xid_count.value, 1);
    assert_int_equal(session.answer.adapters.items[1].xid_count.value, 3);
    assert_int_equal(helper_session_end(&session), 0);
    assert_int_equal(helper_session_calls(&session, "nvmlEventSetCreate"), 1);
    assert_int_equal(helper_session_calls(&session, "nvmlDeviceRegisterEvents"), 2);
    /* None before there is something to watch; one for each refresh, one more for each event. */
    assert_int_equal(helper_session_calls(&session, "nvmlEventSetWait"), 5 + 4);
    assert_int_equal(helper_session_calls(&session, "nvmlEventSetFree"), 1);
    helper_session_free(&session);
}

/* What happened before is not told: 0 would claim that there was none. */
static void test_one_picture_does_not_watch(void **state)
{
    (void)state;
    struct helper_session session;
    start(&session, "xid 0 13 at=0.5", "0,1");
    for (int i = 0; i < 2; i++) {
        ask_for(&session, i, false);
        check_unknown(&session, 0, REASON_not_reported);
    }
    assert_int_equal(helper_session_end(&session), 0);
    assert_int_equal(helper_session_calls(&session, "nvmlEventSet"), 0);
    assert_int_equal(helper_session_calls(&session, "nvmlDeviceRegisterEvents"), 0);
    helper_session_free(&session);
}

static void test_who_cannot_tell(void **state)
{
    (void)state;
    static const struct {
        const char *script;
        enum reason first; /* of device 0; not_reported: it works */
        enum reason second;
    } rows[] = {
        {"missing nvmlEvent* nvmlDeviceRegisterEvents", REASON_not_supported, REASON_not_supported},
        {"missing nvmlEventSetCreate", REASON_not_supported, REASON_not_supported},
        {"missing nvmlDeviceRegisterEvents", REASON_not_supported, REASON_not_supported},
        {"fail nvmlEventSetCreate 999", REASON_call_failed, REASON_call_failed},
        {"fail nvmlDeviceRegisterEvents 3 dev=0", REASON_not_supported, REASON_not_reported},
        {"fail nvmlDeviceRegisterEvents 4 dev=0", REASON_not_permitted, REASON_not_reported},
        {" no_events 1", REASON_not_reported, REASON_not_supported},
        {"missing nvmlEventSetWait_v2", REASON_not_reported, REASON_not_reported},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char script[256];
        struct helper_session session;
        print_message("# %s\n", rows[i].script);
        snprintf(script, sizeof script, "%s\nxid 0 48 at=1\nxid 1 48 at=1", rows[i].script);
        start(&session, script, "0,1,2");
        for (int k = 0; k < 3; k++)
            ask(&session, k);
        const enum reason wanted[] = {rows[i].first, rows[i].second};
        for (size_t device = 0; device < 2; device++) {
            if (wanted[device] == REASON_not_reported)
                check_xid(&session, device, 48);
            else
                check_unknown(&session, device, wanted[device]);
            assert_true(session.answer.adapters.items[device].vram_used_bytes.known);
        }
        end(&session);
    }
}

/* The error that took a GPU away is the last thing to know of it, also when it is told after its
 * calls began to fail; its next handle is watched anew. */
static void test_a_lost_device(void **state)
{
    (void)state;
    struct helper_session session;
    start(&session, "lost 0 from=1 to=11\nxid 0 79 at=1.5\nxid 0 13 at=13.5", "0,1,2,12,13,14");
    ask(&session, 0);
    check_xid(&session, 0, 0);
    ask(&session, 1);
    check_unknown(&session, 0, REASON_device_lost);
    ask(&session, 2);
    assert_int_equal(session.answer.adapters.items[0].power_state, POWER_LOST);
    check_xid(&session, 0, 79);
    check_xid(&session, 1, 0);
    ask(&session, 12);
    assert_int_equal(session.answer.adapters.items[0].power_state, POWER_ACTIVE);
    check_xid(&session, 0, 79);
    ask(&session, 13);
    ask(&session, 14);
    check_xid(&session, 0, 13);
    assert_int_equal(helper_session_end(&session), 0);
    assert_int_equal(helper_session_calls(&session, "nvmlDeviceRegisterEvents"), 3);
    helper_session_free(&session);
}

/* 15: some device is gone, the set works on. Anything else leaves it undefined. */
static void test_a_wait_that_fails(void **state)
{
    (void)state;
    static const struct {
        int code;
        enum reason reason;
        long calls;
    } rows[] = {{15, REASON_not_reported, 3}, {999, REASON_call_failed, 1}};
    for (size_t i = 0; i < 2; i++) {
        char script[64];
        struct helper_session session;
        snprintf(script, sizeof script, "fail nvmlEventSetWait* %d", rows[i].code);
        start(&session, script, "0,1,2,3");
        for (int k = 0; k < 4; k++)
            ask(&session, k);
        if (rows[i].reason == REASON_not_reported)
            check_xid(&session, 0, 0);
        else
            check_unknown(&session, 0, rows[i].reason);
        assert_true(session.answer.adapters.items[0].vram_used_bytes.known);
        assert_int_equal(helper_session_end(&session), 0);
        assert_int_equal(helper_session_calls(&session, "nvmlEventSetWait"), rows[i].calls);
        assert_int_equal(helper_session_calls(&session, "nvmlEventSetFree"), 1);
        helper_session_free(&session);
    }
}

static void test_a_storm_does_not_hold_a_refresh(void **state)
{
    (void)state;
    struct helper_session session;
    start(&session, "fail nvmlEventSetWait_v2 0", "0,1,2"); /* answers, and says nothing */
    for (int i = 0; i < 3; i++)
        ask(&session, i);
    check_xid(&session, 0, 0);
    assert_int_equal(helper_session_end(&session), 0);
    assert_int_equal(helper_session_calls(&session, "nvmlEventSetWait"), 2 * 64);
    helper_session_free(&session);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    programs = (struct helper_programs){argv[1], argv[2]};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_xid_is_told_of_its_device),
        cmocka_unit_test(test_one_picture_does_not_watch),
        cmocka_unit_test(test_who_cannot_tell),
        cmocka_unit_test(test_a_lost_device),
        cmocka_unit_test(test_a_wait_that_fails),
        cmocka_unit_test(test_a_storm_does_not_hold_a_refresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
