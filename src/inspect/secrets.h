/* What counts as a secret in a command line or a free text: by the name before it, or by its own
 * shape. Pure. */
#ifndef INSPECT_SECRETS_H
#define INSPECT_SECRETS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* True for the name of a secret: "api-key", "HF_TOKEN", "--password", "dbPassword". Not for what
 * only looks like one: "--max-tokens", "--eos-token", "--api-key-file", "--tokenizer". Leading
 * dashes and slashes do not count. `is_flag`: the name stands as a flag ("--auth user:pw" is a
 * secret, the word "auth" in a sentence is not). */
bool secret_name(struct raw_text name, bool is_flag);
/* True where only the value tells: "--key", "-k", "-p" and a variable that stands alone
 * ("WANDB_API_KEY abc...") before what looks like a key and no file or number; "--pin" before four
 * digits or more, which are no list of processors. */
bool secret_by_value(struct raw_text name, bool is_flag, struct raw_text value);
/* True for the name of a secret among the parameters of an address: "sig", "key". */
bool secret_parameter(struct raw_text name);
/* True for a header whose whole value is a secret, to the end of its line: Authorization, Cookie.
 */
bool secret_header(struct raw_text name);
/* Length of a well-known kind of key at the start of `rest` ("sk-...", "hf_...", a JWT); 0: none.
 */
size_t secret_key_length(struct raw_text rest);

#endif
