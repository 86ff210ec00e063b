/* The bytes that NtQuerySystemInformation(SystemProcessInformation) gives on 64-bit Windows, as a
 * list. They are the kernel's, but what stands in them is checked all the same: nothing beyond them
 * is read, and offsets that lead nowhere end the list.
 *
 * Source: reference windows.md section 4; x64 and ARM64 lay it out the same way. */
#ifndef OS_WINDOWS_PROCESS_TABLE_H
#define OS_WINDOWS_PROCESS_TABLE_H

#include "os/windows/process_list.h"

/* `address` is where the bytes stood when the kernel wrote them: names are told by address. Names
 * become UTF-8 and live in `arena`; those outside the bytes are unknown. */
void process_table_read(struct arena *arena, const void *bytes, size_t size, uint64_t address,
                        struct windows_process_list *list);

#endif
