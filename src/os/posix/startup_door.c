#include "os/startup.h"

void startup_harden(void) {}
