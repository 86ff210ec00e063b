#include "gpu/wddm/windows/d3dkmt_libraries.h"

#include <stddef.h>

/* gdi32.dll exports them on every Windows with a desktop; an edition without one has them in the
 * library that the API set names. */
const char *const d3dkmt_libraries[] = {"gdi32.dll", "api-ms-win-dx-d3dkmt-l1-1-0.dll", NULL};
