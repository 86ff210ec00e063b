/* gputaskman: what is inside a GPU, and how we know. */
#include "cli/cli.h"

int main(int argc, char **argv)
{
    return cli_main(argc, argv);
}
