/* A library with nothing in it: what counts is its name. */
int gputaskman_empty_library(void);

int gputaskman_empty_library(void)
{
    return 0;
}
