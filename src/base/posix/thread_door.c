#include "base/thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fatal.h"

enum { NAME_SIZE = 16, STACK_BYTES = 512 * 1024 };
enum { NS_PER_S = 1000000000 };

/* What a starting thread needs; it frees this itself, so that it may outlive its struct thread. */
struct start {
    void (*run)(void *context);
    void *context;
    char name[NAME_SIZE];
};

struct thread {
    pthread_t handle;
};

struct lock {
    pthread_mutex_t mutex;
};

struct condition {
    pthread_cond_t condition;
};

static void *thread_main(void *argument)
{
    struct start start = *(struct start *)argument;

    free(argument);
#ifdef __APPLE__
    pthread_setname_np(start.name);
#else
    pthread_setname_np(pthread_self(), start.name);
#endif
    start.run(start.context);
    return NULL;
}

/* A fault of the thread itself cannot wait: blocked, it would end the program without the handler
 * that restores the terminal. */
static void block_signals(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t blocked;

    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, before);
}

struct thread *thread_start(const char *name, void (*run)(void *context), void *context)
{
    struct thread *thread = memory_new(sizeof *thread);
    struct start *start = memory_new(sizeof *start);
    pthread_attr_t attributes;
    sigset_t before;

    start->run = run;
    start->context = context;
    strncpy(start->name, name, NAME_SIZE - 1);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    block_signals(&before);
    int error = pthread_create(&thread->handle, &attributes, thread_main, start);

    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (error) {
        free(start);
        free(thread);
        return NULL;
    }
    return thread;
}

void thread_join(struct thread **thread)
{
    if (!*thread)
        return;
    pthread_join((*thread)->handle, NULL);
    free(*thread);
    *thread = NULL;
}

void thread_abandon(struct thread **thread)
{
    if (!*thread)
        return;
    pthread_detach((*thread)->handle);
    free(*thread);
    *thread = NULL;
}

struct lock *lock_new(void)
{
    struct lock *lock = memory_new(sizeof *lock);

    pthread_mutex_init(&lock->mutex, NULL);
    return lock;
}

void lock_free(struct lock **lock)
{
    if (!*lock)
        return;
    pthread_mutex_destroy(&(*lock)->mutex);
    free(*lock);
    *lock = NULL;
}

void lock_enter(struct lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
}

void lock_leave(struct lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}

struct condition *condition_new(void)
{
    struct condition *condition = memory_new(sizeof *condition);
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
#ifndef __APPLE__
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
#endif
    pthread_cond_init(&condition->condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return condition;
}

void condition_free(struct condition **condition)
{
    if (!*condition)
        return;
    pthread_cond_destroy(&(*condition)->condition);
    free(*condition);
    *condition = NULL;
}

void condition_signal_all(struct condition *condition)
{
    pthread_cond_broadcast(&condition->condition);
}

static struct timespec time_from_ns(int64_t ns)
{
    if (ns < 0)
        ns = 0;
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = ns % NS_PER_S};
}

bool condition_wait(struct condition *condition, struct lock *lock, int64_t until_ns)
{
    if (until_ns == INT64_MAX)
        return pthread_cond_wait(&condition->condition, &lock->mutex) == 0;
#ifdef __APPLE__
    struct timespec left = time_from_ns(until_ns - thread_clock_ns());

    return pthread_cond_timedwait_relative_np(&condition->condition, &lock->mutex, &left) !=
           ETIMEDOUT;
#else
    struct timespec until = time_from_ns(until_ns);

    return pthread_cond_timedwait(&condition->condition, &lock->mutex, &until) != ETIMEDOUT;
#endif
}

int64_t thread_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

void thread_sleep_until(int64_t until_ns)
{
    for (;;) {
        int64_t left = until_ns - thread_clock_ns();

        if (left <= 0)
            return;
        struct timespec wait = time_from_ns(left);

        nanosleep(&wait, NULL);
    }
}
