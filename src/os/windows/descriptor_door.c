#include "os/descriptor.h"

/* Handles have no such limit. */
bool descriptor_may_be_kept(int descriptor)
{
    (void)descriptor;
    return true;
}
