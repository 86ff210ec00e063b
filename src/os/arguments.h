/* What the system hands to a program. */
#ifndef OS_ARGUMENTS_H
#define OS_ARGUMENTS_H

/* From here on the arguments, and what getenv() returns, are UTF-8: on Windows both come in UTF-16
 * and are converted, elsewhere they are bytes and stay as they are. Before any thread is started;
 * the arguments live as long as the program. */
void arguments_take(int *argc, char ***argv);

#endif
