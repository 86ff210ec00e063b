/* On Windows a vendor's library (NVML, ADL) and the system's own counters speak of one adapter.
 * Which is which is told by its PCI address, else by ids that only one of either has; never by name
 * or by order. Memory, load and engines are the system's, so that an adapter and its processes
 * agree; temperature, power, clocks, fan, PCIe and throttling are the library's, and its own load
 * is kept apart. Source: reference windows.md sections 1.6, 2 and 3. */
#ifndef RULES_VENDOR_TELEMETRY_H
#define RULES_VENDOR_TELEMETRY_H

#include <stdbool.h>
#include <stddef.h>

#include "reading/adapter.h"

/* The system's adapter that is this one of a vendor's; SIZE_MAX: none. `vendors` are all of the
 * library, this one among them. */
size_t vendor_telemetry_match(const struct adapter_reading *system, size_t system_count,
                              const struct adapter_reading *vendors, size_t vendor_count,
                              size_t vendor);
/* What is left of the vendor's reading beside the system's of the same adapter. */
void vendor_telemetry_strip(const struct adapter_reading *system,
                            const struct adapter_reading *vendor, struct adapter_reading *left);

#endif
