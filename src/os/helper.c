#include "os/helper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/thread.h"
#include "base/vector.h"
#include "os/helper_answer.h"
#include "os/helper_door.h"
#include "os/helper_rule.h"

#define MILLISECOND_NS INT64_C(1000000)

enum {
    LEFT_BEHIND_MAX = 3, /* killed and not gone: no new ones on top of these */
    READ_STEP = 16384,   /* bytes */
    WAIT_MAX = 64,       /* helpers that helper_wait() watches */
    END_GRACE_MS = 250,  /* between the end of its output and its own end */
    END_LOOK_MS = 5,     /* how often that is looked at */
    FREE_GRACE_MS = 20,  /* for a killed process to be reaped */
};

struct helper {
    struct helper_spec spec;
    struct helper_bounds bounds;
    struct helper_rule rule;
    struct wake *wake;
    struct helper_process *process; /* NULL: none */
    struct helper_process *left_behind[LEFT_BEHIND_MAX];
    struct problem why; /* the last failure */
    bool at_end;        /* of its output */
    int64_t at_end_since_ns;
    struct {
        char *items;
        size_t count, capacity;
    } input; /* to it */
    size_t input_sent;
    struct helper_answer answer;
    bool delivered; /* the answer was handed out */
};

struct helper *helper_new(const struct helper_spec *spec, struct wake *wake)
{
    struct helper *helper = memory_new(sizeof *helper);

    helper->spec = *spec;
    helper->bounds = (struct helper_bounds){spec->first_answer_ns, spec->answer_ns};
    helper->wake = wake;
    helper->rule.since_ns = thread_clock_ns();
    return helper;
}

static enum helper_decision step(struct helper *helper, enum helper_event event)
{
    return helper_rule_step(&helper->rule, &helper->bounds, event, thread_clock_ns());
}

static size_t count_left_behind(const struct helper *helper)
{
    size_t count = 0;

    for (size_t i = 0; i < LEFT_BEHIND_MAX; i++)
        count += helper->left_behind[i] != NULL;
    return count;
}

static void reap_left_behind(struct helper *helper)
{
    for (size_t i = 0; i < LEFT_BEHIND_MAX; i++)
        if (helper->left_behind[i] && helper_process_has_ended(helper->left_behind[i], NULL))
            helper_process_free(&helper->left_behind[i]);
}

/* Kills what is not dead and keeps it until it can be reaped: nobody waits for it. */
static void leave_behind(struct helper *helper)
{
    if (!helper->process)
        return;
    if (!helper_process_has_ended(helper->process, NULL)) {
        helper_process_kill(helper->process);
        /* No process is started while the table is full, so there is room. */
        for (size_t i = 0; i < LEFT_BEHIND_MAX && helper->process; i++)
            if (!helper->left_behind[i]) {
                helper->left_behind[i] = helper->process;
                helper->process = NULL;
            }
    }
    helper_process_free(&helper->process);
    reap_left_behind(helper);
}

static void forget_process(struct helper *helper)
{
    leave_behind(helper);
    helper->at_end = false;
    helper->input.count = helper->input_sent = 0;
    if (!helper->delivered)
        helper_answer_clear(&helper->answer);
}

static void flush_input(struct helper *helper)
{
    size_t moved;

    while (helper->input_sent < helper->input.count &&
           helper_process_write(helper->process, helper->input.items + helper->input_sent,
                                helper->input.count - helper->input_sent, &moved) == HELPER_MOVED)
        helper->input_sent += moved;
}

static bool start_process(struct helper *helper)
{
    reap_left_behind(helper);
    if (count_left_behind(helper) == LEFT_BEHIND_MAX) {
        problem_set(&helper->why, "%d earlier ones hang in the kernel and cannot be ended",
                    LEFT_BEHIND_MAX);
    } else {
        helper->process = helper_process_start(helper->spec.argv, &helper->why);
    }
    if (!helper->process)
        step(helper, HELPER_EVENT_FAILURE);
    return helper->process != NULL;
}

bool helper_ask(struct helper *helper, const char *request)
{
    if (helper->spec.streams && helper->rule.busy)
        return true;
    enum helper_decision decision = step(helper, HELPER_EVENT_ASK);

    if (decision == HELPER_DECIDE_REFUSE)
        return false;
    if (decision == HELPER_DECIDE_START && !start_process(helper))
        return false;
    if (helper->spec.streams)
        return true;
    size_t length = strcspn(request, "\n");

    helper->input.items =
        vector_reserve(helper->input.items, &helper->input.capacity, length + 1, 1);
    memcpy(helper->input.items, request, length);
    helper->input.items[length] = '\n';
    helper->input.count = length + 1;
    helper->input_sent = 0;
    flush_input(helper);
    return true;
}

/* Takes what has arrived, until there is a whole answer, nothing more, or too much. */
static enum helper_answer_state read_output(struct helper *helper, struct raw_text *lines)
{
    for (;;) {
        enum helper_answer_state state =
            helper_answer_scan(&helper->answer, helper->spec.line_limit, helper->spec.answer_limit,
                               lines, &helper->why);

        if (state == HELPER_ANSWER_BROKEN || helper->at_end)
            return state;
        size_t moved;
        enum helper_transfer transfer = helper_process_read(
            helper->process, helper_answer_room(&helper->answer, READ_STEP), READ_STEP, &moved);

        helper->answer.count += moved;
        if (transfer == HELPER_WAIT) {
            lines->bytes = helper->answer.items;
            return state;
        }
        if (transfer == HELPER_AT_END) {
            helper->at_end = true;
            helper->at_end_since_ns = thread_clock_ns();
        }
    }
}

static bool grace_is_over(const struct helper *helper)
{
    return helper->at_end &&
           thread_clock_ns() - helper->at_end_since_ns >= END_GRACE_MS * MILLISECOND_NS;
}

/* After what has arrived was read, and was not an answer: is this the end of it? */
static void apply_end_and_bounds(struct helper *helper, bool ended)
{
    if (ended || grace_is_over(helper)) {
        if (!ended)
            problem_set(&helper->why, "it closed its output");
        step(helper, HELPER_EVENT_FAILURE);
        forget_process(helper);
        return;
    }
    int64_t bound =
        helper->rule.has_answered ? helper->bounds.answer_ns : helper->bounds.first_answer_ns;

    if (step(helper, HELPER_EVENT_TICK) == HELPER_DECIDE_KILL) {
        problem_set(&helper->why, "it did not answer within %.3g s", (double)bound / 1e9);
        forget_process(helper);
    }
}

/* What it sent is no answer to a request of ours. */
static void give_up(struct helper *helper, const char *why)
{
    if (why)
        problem_set(&helper->why, "%s", why);
    step(helper, HELPER_EVENT_FAILURE);
    forget_process(helper);
}

/* The line given last goes; what follows it moves up. */
static void drop_line(struct helper *helper)
{
    struct helper_answer *answer = &helper->answer;

    if (answer->scanned)
        memmove(answer->items, answer->items + answer->scanned, answer->count - answer->scanned);
    answer->count -= answer->scanned;
    answer->scanned = 0;
}

/* Reads no more than it takes to have one whole line. */
static bool read_line(struct helper *helper, struct raw_text *line)
{
    struct helper_answer *answer = &helper->answer;
    size_t looked_at = 0;

    for (;;) {
        const char *end = NULL;

        if (answer->count > looked_at)
            end = memchr(answer->items + looked_at, '\n', answer->count - looked_at);
        if (end) {
            *line = (struct raw_text){answer->items, (size_t)(end - answer->items)};
            answer->scanned = line->length + 1;
            return true;
        }
        looked_at = answer->count;
        size_t moved = 0;

        if (helper->at_end || answer->count > helper->spec.line_limit)
            return false;
        enum helper_transfer transfer = helper_process_read(
            helper->process, helper_answer_room(answer, READ_STEP), READ_STEP, &moved);

        answer->count += moved;
        if (transfer == HELPER_WAIT)
            return false;
        if (transfer == HELPER_AT_END) {
            helper->at_end = true;
            helper->at_end_since_ns = thread_clock_ns();
        }
    }
}

static bool poll_stream(struct helper *helper, struct raw_text *line)
{
    struct problem how;
    bool ended = helper_process_has_ended(helper->process, &how);

    drop_line(helper);
    bool is_whole = read_line(helper, line);
    size_t length = is_whole ? line->length : helper->answer.count;

    if (length > helper->spec.line_limit) {
        problem_set(&helper->why, "it sent a line of more than %llu bytes",
                    (unsigned long long)helper->spec.line_limit);
        give_up(helper, NULL);
        *line = (struct raw_text){NULL, 0};
        return false;
    }
    if (is_whole) {
        step(helper, HELPER_EVENT_ANSWER);
        step(helper, HELPER_EVENT_ASK);
        return true;
    }
    if (ended)
        helper->why = how;
    apply_end_and_bounds(helper, ended);
    return false;
}

bool helper_poll(struct helper *helper, struct raw_text *answer)
{
    *answer = (struct raw_text){NULL, 0};
    if (helper->spec.streams) {
        reap_left_behind(helper);
        return helper->process && poll_stream(helper, answer);
    }
    if (helper->delivered)
        helper_answer_clear(&helper->answer);
    helper->delivered = false;
    reap_left_behind(helper);
    if (!helper->process)
        return false;
    flush_input(helper);
    /* Asked before reading: what it wrote before it ended is in the pipe by now. */
    struct problem how;
    bool ended = helper_process_has_ended(helper->process, &how);
    struct raw_text lines = {NULL, 0};
    enum helper_answer_state state = read_output(helper, &lines);

    if (state == HELPER_ANSWER_COMPLETE && helper->rule.busy) {
        step(helper, HELPER_EVENT_ANSWER);
        helper->delivered = true;
        *answer = lines;
        return true;
    }
    if (state == HELPER_ANSWER_BROKEN) {
        give_up(helper, NULL);
    } else if (!helper->rule.busy && helper->answer.count) {
        give_up(helper, "it spoke without being asked");
    } else {
        if (ended)
            helper->why = how;
        apply_end_and_bounds(helper, ended);
    }
    return false;
}

void helper_wait(struct helper *const *helpers, size_t count, struct wake *wake, int64_t until_ns)
{
    struct helper_waiting waiting[WAIT_MAX];
    struct helper *owners[WAIT_MAX];
    size_t used = 0;

    for (size_t i = 0; i < count && used < WAIT_MAX; i++) {
        struct helper *helper = helpers[i];

        if (!helper || !helper->process)
            continue;
        int64_t deadline = helper_rule_deadline(&helper->rule, &helper->bounds);

        if (helper->at_end) {
            /* Nothing tells that the process itself has ended. */
            deadline = thread_clock_ns() + END_LOOK_MS * MILLISECOND_NS;
        } else {
            owners[used] = helper;
            waiting[used++] = (struct helper_waiting){
                .process = helper->process, .to_write = helper->input_sent < helper->input.count};
        }
        if (deadline < until_ns)
            until_ns = deadline;
    }
    helper_door_wait(waiting, used, wake, until_ns);
    for (size_t i = 0; i < used; i++)
        if (waiting[i].happened && owners[i]->wake && owners[i]->wake != wake)
            wake_signal(owners[i]->wake);
}

bool helper_is_busy(const struct helper *helper)
{
    return helper->rule.busy;
}

static void describe_failure(const struct helper *helper, struct problem *why)
{
    int64_t left_ns = helper->rule.retry_at_ns - thread_clock_ns();
    unsigned left_behind = (unsigned)count_left_behind(helper);

    if (left_ns > 0)
        problem_set(why, "%s, next try in %lld s", helper->why.text,
                    (left_ns - 1) / 1000000000LL + 1);
    else
        problem_set(why, "%s, next try now", helper->why.text);
    if (left_behind)
        problem_set(why, "%s (killed, not gone yet: %u)", why->text, left_behind);
}

struct helper_status helper_status(const struct helper *helper)
{
    const struct helper_rule *rule = &helper->rule;
    struct helper_status status = {
        .state = rule->state,
        .since_ns = rule->since_ns,
        .answer_ns = rule->answer_ns,
        .restarts = rule->restarts,
        .process_id = helper->process ? helper_process_id(helper->process) : 0,
        .left_behind = (unsigned)count_left_behind(helper),
    };

    if (rule->state == HELPER_FAILED) {
        status.retry_at_ns = rule->retry_at_ns;
        describe_failure(helper, &status.why);
    } else if (rule->state == HELPER_STALE) {
        problem_set(&status.why, "it has not answered for %.1f s",
                    (double)(thread_clock_ns() - rule->asked_at_ns) / 1e9);
    }
    return status;
}

static bool ends_by(struct helper_process *process, int64_t until_ns)
{
    for (int64_t pause = MILLISECOND_NS; !helper_process_has_ended(process, NULL); pause *= 2) {
        int64_t now = thread_clock_ns();

        if (now >= until_ns)
            return false;
        if (pause > 8 * MILLISECOND_NS)
            pause = 8 * MILLISECOND_NS;
        thread_sleep_until(until_ns - now < pause ? until_ns : now + pause);
    }
    return true;
}

/* Half of the patience for ending by itself (a driver library likes to be closed), half for dying.
 */
void helper_stop(struct helper *helper, int64_t patience_ns)
{
    if (helper->process) {
        int64_t began = thread_clock_ns();

        helper_process_close_input(helper->process);
        if (!ends_by(helper->process, began + patience_ns / 2)) {
            helper_process_kill(helper->process);
            ends_by(helper->process, began + patience_ns);
        }
        forget_process(helper);
    }
    step(helper, HELPER_EVENT_STOP);
}

void helper_free(struct helper **helper)
{
    if (!*helper)
        return;
    struct helper *old = *helper;
    int64_t until_ns = thread_clock_ns() + FREE_GRACE_MS * MILLISECOND_NS;

    helper_stop(old, 0);
    for (size_t i = 0; i < LEFT_BEHIND_MAX; i++)
        if (old->left_behind[i]) {
            ends_by(old->left_behind[i], until_ns);
            helper_process_free(&old->left_behind[i]);
        }
    VECTOR_FREE(&old->input);
    VECTOR_FREE(&old->answer);
    free(old);
    *helper = NULL;
}

void helper_become(void)
{
    helper_door_become();
}

bool helper_read_request(char *buffer, size_t size)
{
    size_t length = 0;
    int c;

    while ((c = getc(stdin)) != EOF && c != '\n')
        if (length + 1 < size)
            buffer[length++] = (char)c;
    if (length && buffer[length - 1] == '\r')
        length--;
    buffer[length] = '\0';
    return c != EOF;
}
