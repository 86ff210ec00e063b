#include "sampler/collector.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/thread.h"
#include "base/vector.h"
#include "inspect/container_names.h"

/* Enough for one being filled, one waiting to be taken, and two in the hands of the sampler. */
enum { COLLECTIONS = 4 };

struct pid_list {
    int64_t *items;
    size_t count, capacity;
};

struct collector {
    struct machine *machine;
    struct wake *wake;
    struct container_names *names;
    const struct backend *backends[COLLECTOR_BACKENDS_MAX];
    struct backend_state *states[COLLECTOR_BACKENDS_MAX];
    size_t backend_count;

    struct thread *thread;
    struct lock *lock;
    struct condition *condition;
    bool stop, busy, found, armed;
    bool begun; /* the timer's begin() has returned */
    struct collector_timer timer;
    int64_t expected_ns; /* when the next timer is expected */
    int64_t sleeps_until_ns;
    enum collector_job job;
    struct pass pass;
    struct pid_list pids;
    struct collection *done;
    struct collection *spare[COLLECTIONS];
    size_t spare_count;
};

static struct collection *collection_new(const struct collector *collector)
{
    struct collection *collection = memory_new(sizeof *collection);
    collection->system = system_reading_new();
    for (size_t i = 0; i < collector->backend_count; i++) {
        collection->readings[i] = reading_new(collector->backends[i]->name);
    }
    collection->reading_count = collector->backend_count;
    return collection;
}

static void collection_free(struct collection **collection)
{
    if (*collection) {
        system_reading_free(&(*collection)->system);
        for (size_t i = 0; i < (*collection)->reading_count; i++) {
            reading_free(&(*collection)->readings[i]);
        }
        free(*collection);
        *collection = NULL;
    }
}

/* Keeps a collection (or NULL) for later use; what there is no room for is given back. With the
 * lock held. */
static struct collection *keep_spare(struct collector *collector, struct collection *collection)
{
    if (collection && collector->spare_count < COLLECTIONS) {
        collector->spare[collector->spare_count++] = collection;
        collection = NULL;
    }
    return collection;
}

/* True when a backend needs to know who holds its device files. */
static bool needs_walk(struct collector *collector, struct collection *collection)
{
    enum machine_mode mode = machine_mode(collector->machine);
    bool needed = mode == MODE_CONTAINER || mode == MODE_WSL || collector->pass.look_for_holders;
    for (size_t i = 0; i < collector->backend_count; i++) {
        const struct backend *backend = collector->backends[i];
        if (!collector->found && backend->find) {
            backend->find(collector->states[i], collector->machine, &collector->pass,
                          collection->readings[i]);
            reading_reset(collection->readings[i], backend->name);
        }
        needed = needed || (backend->needs_walk && backend->needs_walk(collector->states[i]));
    }
    collector->found = true;
    return needed;
}

static struct raw_text copy(struct arena *arena, struct raw_text text)
{
    if (!text.bytes)
        return text;
    return (struct raw_text){arena_string(arena, text.bytes, text.length), text.length};
}

static const struct container_reading *look_up_container(struct collector *collector,
                                                         struct arena *arena,
                                                         const struct process_reading *process)
{
    struct container_place place;
    if (!container_of_cgroup(arena, process->cgroup, &place))
        return NULL;
    container_names_look_up(collector->names, collector->machine->root,
                            machine_running_ns(collector->machine), process->user, &place);
    struct container_reading *container = ARENA_NEW(arena, struct container_reading);
    *container = (struct container_reading){
        .runtime = place.runtime,
        .id = place.id,
        .name = copy(arena, place.name),
        .pod = copy(arena, place.pod),
    };
    return container;
}

static bool same_place(const struct process_reading *a, const struct process_reading *b)
{
    return a->cgroup.length == b->cgroup.length && a->user.length == b->user.length &&
           (a->cgroup.length == 0 ||
            memcmp(a->cgroup.bytes, b->cgroup.bytes, a->cgroup.length) == 0) &&
           (a->user.length == 0 || memcmp(a->user.bytes, b->user.bytes, a->user.length) == 0);
}

/* The containers of the processes that were read, which are not yet published. Inside one there is
 * nothing to be read of others. Neighbours often are in one place. */
static void find_containers(struct collector *collector, struct system_reading *system)
{
    struct process_reading *processes =
        (struct process_reading *)(uintptr_t)(const void *)system->processes;
    if (!collector->machine->root || machine_mode(collector->machine) == MODE_CONTAINER)
        return;
    for (size_t i = 0; i < system->process_count; i++)
        processes[i].container = i > 0 && same_place(&processes[i], &processes[i - 1])
                                     ? processes[i - 1].container
                                     : look_up_container(collector, system->arena, &processes[i]);
}

static void collect(struct collector *collector, struct collection *collection)
{
    const struct pass *pass = &collector->pass;
    collection->pass_number = pass->number;
    collection->job = collector->job;
    system_reading_reset(collection->system);
    for (size_t i = 0; i < collector->backend_count; i++) {
        reading_reset(collection->readings[i], collector->backends[i]->name);
    }
    bool all = collector->job == COLLECT_ALL;
    const struct system_request request = {
        .walk = all && needs_walk(collector, collection),
        .pids = collector->pids.items,
        .pid_count = collector->pids.count,
        .look_for_cuda = machine_mode(collector->machine) == MODE_CONTAINER,
    };
    machine_read_system(collector->machine, pass, &request, collection->system);
    collection->system->pass_number = pass->number;
    find_containers(collector, collection->system);
    for (size_t i = 0; all && i < collector->backend_count; i++) {
        struct reading *reading = collection->readings[i];
        reading->pass_number = pass->number;
        int64_t begun_ns = thread_clock_ns();
        collector->backends[i]->read(collector->states[i], collector->machine, pass,
                                     collection->system, reading);
        reading->duration_ns = thread_clock_ns() - begun_ns;
        reading->running_ns = machine_running_ns(collector->machine);
    }
}

/* With the lock held. */
static void run_timer(struct collector *collector)
{
    collector->armed = false;
    collector->begun = false;
    collector->busy = true;
    collector->job = COLLECT_ALL;
    collector->expected_ns = collector->timer.then_ns;
    lock_leave(collector->lock);
    collector->timer.begin(collector->timer.context, &collector->pass);
    lock_enter(collector->lock);
    collector->begun = true;
    condition_signal_all(collector->condition);
}

/* With the lock held: until there is something to do. */
static void sleep_on(struct collector *collector)
{
    int64_t until_ns = collector->armed ? collector->timer.at_ns : collector->expected_ns;
    collector->sleeps_until_ns = until_ns;
    bool signalled = condition_wait(collector->condition, collector->lock, until_ns);
    collector->sleeps_until_ns = 0;
    if (!signalled && !collector->armed) {
        collector->expected_ns = INT64_MAX;
    }
}

/* With the lock held. Whoever is woken by its end finds the lock free. */
static void run_job(struct collector *collector)
{
    struct collection *collection = collector->spare_count
                                        ? collector->spare[--collector->spare_count]
                                        : collection_new(collector);
    lock_leave(collector->lock);
    collect(collector, collection);
    lock_enter(collector->lock);
    struct collection *replaced = collector->done;
    collector->done = collection;
    collector->busy = false;
    struct collection *surplus = keep_spare(collector, replaced);
    condition_signal_all(collector->condition);
    lock_leave(collector->lock);
    wake_signal(collector->wake);
    collection_free(&surplus);
    lock_enter(collector->lock);
}

static void collector_run(void *context)
{
    struct collector *collector = context;
    lock_enter(collector->lock);
    while (!collector->stop) {
        if (collector->armed && thread_clock_ns() >= collector->timer.at_ns) {
            run_timer(collector);
        }
        if (collector->busy) {
            run_job(collector);
        } else {
            sleep_on(collector);
        }
    }
    lock_leave(collector->lock);
}

struct collector *collector_new(struct machine *machine, const struct backend *const *backends,
                                size_t backend_count, struct wake *wake)
{
    struct collector *collector = memory_new(sizeof *collector);
    collector->machine = machine;
    collector->names = container_names_new();
    collector->wake = wake;
    for (size_t i = 0; i < backend_count && i < COLLECTOR_BACKENDS_MAX; i++) {
        if (backends[i]->belongs && !backends[i]->belongs(machine)) {
            continue;
        }
        size_t at = collector->backend_count++;
        collector->backends[at] = backends[i];
        collector->states[at] = backends[i]->open ? backends[i]->open(machine) : NULL;
    }
    collector->expected_ns = INT64_MAX;
    collector->lock = lock_new();
    collector->condition = condition_new();
    collector->thread = thread_start("collector", collector_run, collector);
    return collector;
}

static void set_pids(struct collector *collector, const int64_t *pids, size_t pid_count)
{
    collector->pids.items =
        vector_reserve(collector->pids.items, &collector->pids.capacity, pid_count, sizeof *pids);
    if (pid_count) {
        memcpy(collector->pids.items, pids, pid_count * sizeof *pids);
    }
    collector->pids.count = pid_count;
}

bool collector_kick(struct collector *collector, enum collector_job job, const struct pass *pass,
                    const int64_t *pids, size_t pid_count)
{
    lock_enter(collector->lock);
    bool free_now = !collector->busy;
    if (free_now) {
        collector->job = job;
        collector->pass = *pass;
        set_pids(collector, pids, pid_count);
        collector->busy = true;
        condition_signal_all(collector->condition);
    }
    lock_leave(collector->lock);
    return free_now;
}

bool collector_arm(struct collector *collector, const struct collector_timer *timer,
                   const int64_t *pids, size_t pid_count)
{
    lock_enter(collector->lock);
    bool free_now = !collector->busy;
    if (free_now) {
        collector->timer = *timer;
        set_pids(collector, pids, pid_count);
        collector->armed = true;
        if (timer->at_ns < collector->sleeps_until_ns) {
            condition_signal_all(collector->condition);
        }
    }
    lock_leave(collector->lock);
    return free_now;
}

bool collector_disarm(struct collector *collector)
{
    lock_enter(collector->lock);
    bool taken_back = collector->armed;
    collector->armed = false;
    while (!taken_back && !collector->begun) {
        condition_wait(collector->condition, collector->lock, INT64_MAX);
    }
    lock_leave(collector->lock);
    return taken_back;
}

bool collector_is_busy(struct collector *collector)
{
    lock_enter(collector->lock);
    bool busy = collector->busy;
    lock_leave(collector->lock);
    return busy;
}

struct collection *collector_take(struct collector *collector)
{
    lock_enter(collector->lock);
    struct collection *collection = collector->done;
    collector->done = NULL;
    lock_leave(collector->lock);
    return collection;
}

void collector_return(struct collector *collector, struct collection *collection)
{
    lock_enter(collector->lock);
    struct collection *surplus = keep_spare(collector, collection);
    lock_leave(collector->lock);
    collection_free(&surplus);
}

bool collector_close(struct collector **closing, int64_t patience_ns)
{
    struct collector *collector = *closing;
    *closing = NULL;
    if (!collector) {
        return true;
    }
    int64_t until_ns = thread_clock_ns() + patience_ns;
    lock_enter(collector->lock);
    collector->stop = true;
    condition_signal_all(collector->condition);
    while (collector->busy && condition_wait(collector->condition, collector->lock, until_ns)) {
    }
    bool ended = !collector->busy;
    lock_leave(collector->lock);
    if (!ended) {
        thread_abandon(&collector->thread);
        return false;
    }
    thread_join(&collector->thread);
    for (size_t i = 0; i < collector->backend_count; i++) {
        if (collector->backends[i]->close) {
            collector->backends[i]->close(&collector->states[i]);
        }
    }
    collection_free(&collector->done);
    for (size_t i = 0; i < collector->spare_count; i++) {
        collection_free(&collector->spare[i]);
    }
    container_names_free(&collector->names);
    condition_free(&collector->condition);
    lock_free(&collector->lock);
    VECTOR_FREE(&collector->pids);
    free(collector);
    return true;
}
