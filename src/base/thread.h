/* Threads, locks and waiting with a deadline. pthreads on POSIX, the system's own primitives on
 * Windows (thread_door.c). Every thread is started with all signals blocked. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <stdbool.h>
#include <stdint.h>

struct thread;
struct lock;
struct condition;

/* Starts a thread; NULL when the system refuses. `name` (15 characters at most) is shown by tools.
 */
struct thread *thread_start(const char *name, void (*run)(void *context), void *context);
/* Waits for its end and frees it. */
void thread_join(struct thread **thread);
/* Lets it run on, to be ended by the process's exit: for a thread stuck in the kernel. What it uses
 * must not be freed. */
void thread_abandon(struct thread **thread);

struct lock *lock_new(void);
void lock_free(struct lock **lock);
void lock_enter(struct lock *lock);
void lock_leave(struct lock *lock);

struct condition *condition_new(void);
void condition_free(struct condition **condition);
void condition_signal_all(struct condition *condition);
/* Waits with the lock held until signalled or until thread_clock_ns() passes `until_ns` (INT64_MAX:
 * no limit). False on time-out. Spurious wake-ups happen. */
bool condition_wait(struct condition *condition, struct lock *lock, int64_t until_ns);

/* The clock of deadlines: monotonic nanoseconds of the real machine, never a recorded one. */
int64_t thread_clock_ns(void);
void thread_sleep_until(int64_t until_ns);

#endif
