#include "os/signals.h"

#include <errno.h>

/* Refused until this system's start stamps can be read: a pid alone may be another process by now.
 */
int signals_send(const struct identity *identity, int number)
{
    (void)identity;
    (void)number;
    return ENOTSUP;
}
