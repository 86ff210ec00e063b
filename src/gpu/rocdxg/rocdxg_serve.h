/* The helper's side of the rocdxg backend: `gputaskman --helper rocdxg`. */
#ifndef GPU_ROCDXG_SERVE_H
#define GPU_ROCDXG_SERVE_H

/* Answers requests from standard input until it ends; the exit status. */
int rocdxg_serve(void);

#endif
