/* Wakes a thread that waits in a door (poll, WaitForMultipleObjects): a pipe on POSIX, an event on
 * Windows. Signalling is async-signal-safe and never blocks; several signals before a clear are
 * one. */
#ifndef OS_WAKE_H
#define OS_WAKE_H

#include <stdbool.h>
#include <stdint.h>

struct wake;

struct wake *wake_new(void);
void wake_free(struct wake **wake);
void wake_signal(struct wake *wake);
void wake_clear(struct wake *wake);
/* Waits until signalled or until thread_clock_ns() passes; true when signalled. Does not clear. */
bool wake_wait(struct wake *wake, int64_t until_ns);
/* POSIX only: the descriptor that becomes readable. -1 elsewhere. */
int wake_descriptor(const struct wake *wake);

#endif
