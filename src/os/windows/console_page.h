/* The console's code page, which all programs of a shell share. */
#ifndef OS_WINDOWS_CONSOLE_PAGE_H
#define OS_WINDOWS_CONSOLE_PAGE_H

/* Gives the console the page back that it had when the program started, also from a crash. */
void console_page_give_back(void);

#endif
