/* The settings of the setup screen: what each holds now, and its next choice. */
#ifndef PRESENT_TUI_SETUP_VALUES_H
#define PRESENT_TUI_SETUP_VALUES_H

#include "present/tui/ui.h"

enum { SETUP_VALUE_SIZE = 16 };

/* What holds now, whether it comes from the file, an option or a key. */
void setup_read(const struct ui *ui, enum setting setting, char value[SETUP_VALUE_SIZE]);
/* Goes `by` choices on, shows it, and notes it for the config file. */
void setup_change(struct ui *ui, enum setting setting, int by);
/* Notes a value for the config file. */
void setup_keep(struct ui *ui, enum setting setting, const char *value);

#endif
