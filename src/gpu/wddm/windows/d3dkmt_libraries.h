/* Where the D3DKMT functions are looked for, in this order, NULL-terminated. */
#ifndef GPU_WDDM_WINDOWS_D3DKMT_LIBRARIES_H
#define GPU_WDDM_WINDOWS_D3DKMT_LIBRARIES_H

extern const char *const d3dkmt_libraries[];

#endif
