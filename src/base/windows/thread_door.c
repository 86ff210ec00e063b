#include "base/thread.h"

#include <process.h>
#include <stdlib.h>
#include <windows.h>

#include "base/fatal.h"

enum { STACK_BYTES = 512 * 1024 };

struct start {
    void (*run)(void *context);
    void *context;
};

struct thread {
    HANDLE handle;
};

struct lock {
    SRWLOCK lock;
};

struct condition {
    CONDITION_VARIABLE condition;
};

static unsigned __stdcall thread_main(void *argument)
{
    struct start start = *(struct start *)argument;

    free(argument);
    start.run(start.context);
    return 0;
}

struct thread *thread_start(const char *name, void (*run)(void *context), void *context)
{
    struct thread *thread = memory_new(sizeof *thread);
    struct start *start = memory_new(sizeof *start);

    (void)name; /* SetThreadDescription is newer than the oldest Windows 10 that is supported */
    start->run = run;
    start->context = context;
    thread->handle = (HANDLE)_beginthreadex(NULL, STACK_BYTES, thread_main, start, 0, NULL);
    if (!thread->handle) {
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
    WaitForSingleObject((*thread)->handle, INFINITE);
    thread_abandon(thread);
}

void thread_abandon(struct thread **thread)
{
    if (!*thread)
        return;
    CloseHandle((*thread)->handle);
    free(*thread);
    *thread = NULL;
}

struct lock *lock_new(void)
{
    struct lock *lock = memory_new(sizeof *lock);

    InitializeSRWLock(&lock->lock);
    return lock;
}

void lock_free(struct lock **lock)
{
    free(*lock);
    *lock = NULL;
}

void lock_enter(struct lock *lock)
{
    AcquireSRWLockExclusive(&lock->lock);
}

void lock_leave(struct lock *lock)
{
    ReleaseSRWLockExclusive(&lock->lock);
}

struct condition *condition_new(void)
{
    struct condition *condition = memory_new(sizeof *condition);

    InitializeConditionVariable(&condition->condition);
    return condition;
}

void condition_free(struct condition **condition)
{
    free(*condition);
    *condition = NULL;
}

void condition_signal_all(struct condition *condition)
{
    WakeAllConditionVariable(&condition->condition);
}

/* Rounded up, so that a wait does not end just before its deadline and spin. */
static DWORD milliseconds_until(int64_t until_ns)
{
    int64_t left = until_ns - thread_clock_ns();

    if (left <= 0)
        return 0;
    int64_t milliseconds = left / 1000000 + 1;

    return milliseconds < 0x7FFFFFFF ? (DWORD)milliseconds : 0x7FFFFFFF;
}

bool condition_wait(struct condition *condition, struct lock *lock, int64_t until_ns)
{
    DWORD wait = until_ns == INT64_MAX ? INFINITE : milliseconds_until(until_ns);

    return SleepConditionVariableSRW(&condition->condition, &lock->lock, wait, 0);
}

int64_t thread_clock_ns(void)
{
    LARGE_INTEGER count, frequency;

    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&frequency);
    /* In two parts: the product would overflow after some days. */
    int64_t seconds = count.QuadPart / frequency.QuadPart;
    int64_t rest = count.QuadPart % frequency.QuadPart;

    return seconds * 1000000000 + rest * 1000000000 / frequency.QuadPart;
}

void thread_sleep_until(int64_t until_ns)
{
    for (DWORD wait; (wait = milliseconds_until(until_ns)) > 0;)
        Sleep(wait);
}
