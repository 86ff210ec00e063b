/* Every process of a Windows machine, as one call tells them without opening any
 * (NtQuerySystemInformation, SystemProcessInformation: reference windows.md section 4): for all
 * users, protected ones too. Live: process_list_door.c; a recorded machine has processes.json. */
#ifndef OS_WINDOWS_PROCESS_LIST_H
#define OS_WINDOWS_PROCESS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "reading/measured.h"

/* FILETIME counts from 1601; the epoch of everything else is 1970. In units of 100 ns. */
#define FILETIME_OF_1970 INT64_C(116444736000000000)

struct windows_process {
    int64_t pid, parent_pid;   /* parent 0: none or unknown */
    struct raw_text name;      /* image name, "dwm.exe", UTF-8; bytes NULL: unknown (pid 0) */
    int64_t created_100ns;     /* FILETIME; 0: unknown (pid 0 has none) */
    struct measured cpu_100ns; /* user + kernel, cumulative */
    struct measured working_set_bytes;
};

struct windows_process_list {
    bool read; /* false: the call failed; nothing is known, it is not empty */
    const struct windows_process *items;
    size_t count;
};

/* Names live in `arena`. */
void windows_process_list_read(struct arena *arena, struct windows_process_list *list);

#endif
