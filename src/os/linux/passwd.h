/* Names of users from the text of /etc/passwd (passwd(5)). Pure. */
#ifndef OS_LINUX_PASSWD_H
#define OS_LINUX_PASSWD_H

#include <stdint.h>

#include "base/text.h"

struct passwd;

/* Keeps its own copy of the names. Malformed lines are passed over; the first line of a user id
 * holds, as in getpwuid(3). */
struct passwd *passwd_new(struct raw_text raw);
void passwd_free(struct passwd **passwd);
/* bytes NULL when the id has no name here. */
struct raw_text passwd_name(const struct passwd *passwd, uint64_t user);

#endif
