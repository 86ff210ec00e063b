/* gputaskman-fakes.exe is the program with this in place of the names of the real libraries: all of
 * the loading code is the shipped one. */
#include "gpu/wddm/windows/d3dkmt_libraries.h"

#include <stddef.h>

const char *const d3dkmt_libraries[] = {"gtm_fake_d3dkmt.dll", NULL};
