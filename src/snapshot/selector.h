/* Choosing adapters by what a person types: an index (up to three digits), a PCI address (with or
 * without domain), the start of a UUID or of a stable id, or part of the name (ASCII letters of
 * either case). */
#ifndef SNAPSHOT_SELECTOR_H
#define SNAPSHOT_SELECTOR_H

#include <stdbool.h>

#include "snapshot/snapshot.h"

bool selector_matches(const char *selector, const struct adapter *adapter);

#endif
