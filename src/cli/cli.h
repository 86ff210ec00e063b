/* The commands, one small file each; the only room that joins the others. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

/* Runs the program; returns its exit status: 0 done, 1 failed, 2 wrong usage, 3 no supported GPU.
 */
int cli_main(int argc, char **argv);

#endif
