/* What Windows tells of one process by a handle to it. For doors. */
#ifndef OS_WINDOWS_PROCESS_DOOR_H
#define OS_WINDOWS_PROCESS_DOOR_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

#include "base/arena.h"
#include "base/text.h"

/* With PROCESS_QUERY_LIMITED_INFORMATION and `more`. NULL when it may not be opened, is gone, or
 * was not created then (created_100ns 0: any); the handle keeps its number from becoming another's.
 */
HANDLE process_door_open(int64_t pid, int64_t created_100ns, DWORD more);
/* FILETIME; 0: unknown. */
int64_t process_door_created(HANDLE process);
bool process_door_has_ended(HANDLE process);
int64_t process_door_parent(HANDLE process); /* 0: unknown */
/* The system lets nobody look into it. */
bool process_door_is_protected(HANDLE process);

/* Texts in UTF-8, in the arena; bytes NULL: unknown or not permitted. */
struct raw_text process_door_executable(HANDLE process, struct arena *arena);
/* One text, as the program got it; by the kernel, else out of the process's memory. */
struct raw_text process_door_command(HANDLE process, struct arena *arena);
struct raw_text process_door_user(HANDLE process, struct arena *arena);
/* From the process's memory: needs PROCESS_QUERY_INFORMATION | PROCESS_VM_READ. */
struct raw_text process_door_folder(HANDLE process, struct arena *arena);
/* Of a process of the same user as ours: NAME=VALUE, each followed by a NUL. */
struct raw_text process_door_environment(HANDLE process, struct arena *arena);

#endif
