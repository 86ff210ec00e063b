#include "os/arguments.h"

void arguments_take(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
}
