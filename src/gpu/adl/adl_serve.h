/* The ADL helper's own side: `gputaskman --helper adl`. */
#ifndef GPU_ADL_SERVE_H
#define GPU_ADL_SERVE_H

int adl_serve(void); /* the exit status */

#endif
