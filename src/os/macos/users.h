/* Names of users, each asked for once a run: the answer may come from a directory on the network.
 */
#ifndef OS_MACOS_USERS_H
#define OS_MACOS_USERS_H

#include <stdint.h>

#include "base/text.h"

struct macos_users;

struct macos_users *macos_users_new(void);
void macos_users_free(struct macos_users **users);
/* The name, or the number in digits; valid until macos_users_free(). */
struct raw_text macos_users_name(struct macos_users *users, uint32_t uid);

#endif
