/* What programs of llama.cpp's kin take for granted where llama-server of today does otherwise.
 * Pure.
 */
#ifndef INSPECT_LLAMA_PROGRAM_H
#define INSPECT_LLAMA_PROGRAM_H

#include "inspect/runtime_flags.h"

/* `arguments` with the program's own name. Fills in what the flags leave open: the slots of tools
 * that are no servers (one), the rules of the llama.cpp in older Ollama runners (flags->build), and
 * that a runner is told its settings later (flags->sent_later). */
void llama_program_adapt(struct raw_text executable, const struct raw_text *arguments, size_t count,
                         struct runtime_flags *flags);

#endif
