#include "sampler/helper_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/thread.h"
#include "sampler/stale.h"

enum { REQUEST_SIZE = 4096, LINE_LIMIT = 64 * 1024, ANSWER_LIMIT = 32 * 1024 * 1024 };

static const int64_t second_ns = 1000000000;

struct helper_driver {
    const struct backend *backend;
    struct machine *machine;
    struct backend_state *state;
    struct helper *helper;
    const char *argv[4];
    struct reading *newest;    /* what helper_driver_newest() gives */
    struct reading *last_good; /* the last complete answer, NULL before one */
    struct reading *spare;
    struct pass pass;
    int64_t asked_ns; /* thread clock */
    bool outstanding, left_out;
};

struct helper_driver *helper_driver_new(const struct backend *backend, struct machine *machine,
                                        struct wake *wake)
{
    struct helper_driver *driver = memory_new(sizeof *driver);
    driver->backend = backend;
    driver->machine = machine;
    driver->state = backend->open ? backend->open(machine) : NULL;
    driver->argv[1] = "--helper";
    driver->argv[2] = backend->name;
    const struct helper_spec spec = {
        .name = backend->name,
        .argv = driver->argv,
        .first_answer_ns = 30 * second_ns,
        .answer_ns = 2 * second_ns,
        .line_limit = LINE_LIMIT,
        .answer_limit = ANSWER_LIMIT,
    };
    driver->helper = helper_new(&spec, wake);
    driver->newest = reading_new(backend->name);
    driver->spare = reading_new(backend->name);
    return driver;
}

void helper_driver_free(struct helper_driver **freeing, int64_t patience_ns)
{
    struct helper_driver *driver = *freeing;
    *freeing = NULL;
    if (!driver) {
        return;
    }
    helper_stop(driver->helper, patience_ns);
    helper_free(&driver->helper);
    if (driver->backend->close) {
        driver->backend->close(&driver->state);
    }
    if (driver->last_good != driver->newest) {
        reading_free(&driver->last_good);
    }
    reading_free(&driver->newest);
    reading_free(&driver->spare);
    free(driver);
}

/* A reading that can be filled: not the newest, not the last good one. */
static struct reading *take_spare(struct helper_driver *driver)
{
    struct reading *reading = driver->spare;
    driver->spare = NULL;
    if (!reading) {
        reading = reading_new(driver->backend->name);
    }
    reading_reset(reading, driver->backend->name);
    reading->pass_number = driver->pass.number;
    reading->running_ns = driver->pass.running_ns;
    return reading;
}

static void give_back(struct helper_driver *driver, struct reading *reading)
{
    if (!reading || reading == driver->newest || reading == driver->last_good) {
        return;
    }
    if (driver->spare) {
        reading_free(&reading);
    } else {
        driver->spare = reading;
    }
}

static void set_newest(struct helper_driver *driver, struct reading *reading, bool good)
{
    struct reading *newest = driver->newest, *last_good = driver->last_good;
    driver->newest = reading;
    if (good) {
        driver->last_good = reading;
    }
    give_back(driver, newest);
    if (good && last_good != newest) {
        give_back(driver, last_good);
    }
}

/* No figures can be had now: the adapters that are known, each figure unavailable, and why. */
static void set_state_only(struct helper_driver *driver, enum source_state state,
                           enum reason reason, const struct problem *problem)
{
    struct reading *reading = take_spare(driver);
    if (driver->last_good) {
        reading_copy_identities(reading, driver->last_good, reason);
        reading->running_ns = driver->last_good->running_ns;
    } else if (driver->backend->find) {
        driver->backend->find(driver->state, driver->machine, &driver->pass, reading);
        reading_copy_identities(reading, reading, reason);
    }
    reading->state = state;
    reading->has_code = true;
    reading->code = reason;
    reading->problem = *problem;
    set_newest(driver, reading, false);
}

static void read_status(struct helper_driver *driver)
{
    struct helper_status status = helper_status(driver->helper);
    switch (status.state) {
    case HELPER_STARTING:
        set_state_only(driver, SOURCE_STARTING, REASON_starting, &status.why);
        break;
    case HELPER_FAILED:
        set_state_only(driver, SOURCE_FAILED, REASON_call_failed, &status.why);
        break;
    default:
        break;
    }
}

void helper_driver_leave_out(struct helper_driver *driver)
{
    driver->left_out = true;
}

static void say_left_out(struct helper_driver *driver, const struct pass *pass,
                         struct reading *reading)
{
    if (driver->backend->find) {
        driver->backend->find(driver->state, driver->machine, pass, reading);
        reading_copy_identities(reading, reading, REASON_not_reported);
    }
    reading->state = SOURCE_OFF;
    problem_set(&reading->problem, "not asked: only other GPUs were selected (-g)");
}

void helper_driver_ask(struct helper_driver *driver, const struct pass *pass)
{
    if (helper_is_busy(driver->helper)) {
        /* Its answer will be one to the pass that asked for it. */
        driver->outstanding = true;
        return;
    }
    driver->pass = *pass;
    struct reading *reading = take_spare(driver);
    bool asks = driver->backend->should_ask(driver->state, driver->machine, pass, reading);
    if (asks && driver->left_out) {
        say_left_out(driver, pass, reading);
    }
    if (!asks || driver->left_out) {
        helper_stop(driver->helper, 0);
        driver->outstanding = false;
        set_newest(driver, reading, false);
        return;
    }
    give_back(driver, reading);
    char request[REQUEST_SIZE];
    driver->backend->write_request(driver->state, pass, request, sizeof request);
    driver->asked_ns = thread_clock_ns();
    driver->outstanding = helper_ask(driver->helper, request);
    if (!driver->outstanding || !driver->last_good) {
        read_status(driver);
    }
}

static void take_answer(struct helper_driver *driver, struct raw_text answer)
{
    struct reading *reading = take_spare(driver);
    if (driver->backend->read_answer(driver->state, answer, reading)) {
        reading->duration_ns = thread_clock_ns() - driver->asked_ns;
        set_newest(driver, reading,
                   reading->state == SOURCE_OK || reading->state == SOURCE_PARTIAL);
        return;
    }
    give_back(driver, reading);
    struct problem problem;
    problem_set(&problem, "the %s helper gave an answer that makes no sense",
                driver->backend->name);
    set_state_only(driver, SOURCE_FAILED, REASON_call_failed, &problem);
}

bool helper_driver_poll(struct helper_driver *driver)
{
    if (!driver->outstanding) {
        return false;
    }
    struct raw_text answer = {NULL, 0};
    if (helper_poll(driver->helper, &answer)) {
        driver->outstanding = false;
        take_answer(driver, answer);
    } else if (!helper_is_busy(driver->helper)) {
        driver->outstanding = false;
        read_status(driver);
    }
    return driver->outstanding;
}

const struct reading *helper_driver_newest(const struct helper_driver *driver)
{
    return driver->newest;
}

struct helper *helper_driver_helper(const struct helper_driver *driver)
{
    return driver->helper;
}
