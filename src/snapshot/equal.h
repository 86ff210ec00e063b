/* Comparing two snapshots member by member, over the field table. */
#ifndef SNAPSHOT_EQUAL_H
#define SNAPSHOT_EQUAL_H

#include <stdbool.h>

#include "base/problem.h"
#include "snapshot/snapshot.h"

/* True when both say the same, provenance and order included; what JSON does not show (sequence,
 * memory) is not compared. Else *difference names the first member that differs. */
bool snapshot_equal(const struct snapshot *a, const struct snapshot *b, struct problem *difference);

#endif
