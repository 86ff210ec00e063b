/* Words of POSIX that unit tests use and Windows' C library lacks; included into each of them when
 * they are built for Windows. */
#ifndef TESTS_WINDOWS_POSIX_WORDS_H
#define TESTS_WINDOWS_POSIX_WORDS_H

char *mkdtemp(char *name);
int setenv(const char *name, const char *value, int replaces);
int unsetenv(const char *name);

#endif
