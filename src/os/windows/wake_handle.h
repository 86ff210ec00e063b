/* The event behind a wake, for doors that wait for several things. */
#ifndef OS_WINDOWS_WAKE_HANDLE_H
#define OS_WINDOWS_WAKE_HANDLE_H

struct wake;

/* A HANDLE, owned by the wake. */
void *wake_handle(const struct wake *wake);

#endif
