/* Names of files as Windows spells them: pure rules over UTF-8. */
#ifndef OS_WINDOWS_PATH_NAME_H
#define OS_WINDOWS_PATH_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

/* A drive and the device behind it, as QueryDosDeviceW tells: 'C', "\Device\HarddiskVolume3". */
struct drive_device {
    char letter;
    const char *device;
};

/* The path that programs use for one that the kernel names: "\Device\HarddiskVolume3\m.gguf" is
 * "C:\m.gguf" (the longest device that fits whole names), "\Device\Mup\server\share" and
 * "\??\UNC\server\share" are "\\server\share", or the drive that stands for it; "\??\Z:\x" and
 * "\\?\Z:\x" are "Z:\x". bytes NULL: none. In the arena. */
struct raw_text windows_path_of_device(struct arena *arena, struct raw_text path,
                                       const struct drive_device *drives, size_t count);
/* "C:\x" and "c:/x": a path on a drive. Not "\\server\share", nor a device, nor "C:x". */
bool windows_path_is_on_drive(const char *path);
/* "C:/a/./b" as "\\?\C:\a\b", which may be longer than 260 characters and means no device, however
 * a file is called. False when it is no path on a drive, or too long. */
bool windows_path_long(const char *path, char *out, size_t size);

#endif
