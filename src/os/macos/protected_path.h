/* Folders of macOS that are left alone: opening something in them asks the user for permission in
 * the terminal's name (other apps' sandbox containers, Desktop, Documents, Downloads, other
 * volumes), or there is nothing but the system in them. Their files are known by the names that the
 * kernel gives, which opens nothing. */
#ifndef OS_MACOS_PROTECTED_PATH_H
#define OS_MACOS_PROTECTED_PATH_H

#include <stdbool.h>

/* Absolute, with or without its leading slash, links resolved; in any case of letters, as the file
 * system has it. True for the folder itself and all below it. */
bool macos_path_is_protected(const char *path);
/* The same for any folder; the top itself is none. */
bool macos_path_is_below(const char *path, const char *folder);

#endif
