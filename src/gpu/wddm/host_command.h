/* The script that reads the Windows host's counters (data/windows_host.ps1) as PowerShell's
 * -EncodedCommand takes it: base64 of UTF-16LE. The script is ASCII. */
#ifndef GPU_WDDM_HOST_COMMAND_H
#define GPU_WDDM_HOST_COMMAND_H

#include <stddef.h>

/* Windows takes no longer command line than this. */
enum { HOST_COMMAND_LIMIT = 32767 - 200 };

/* Memory that the caller frees. */
char *host_command_encode(const char *script, size_t size);
char *host_command(void);

#endif
