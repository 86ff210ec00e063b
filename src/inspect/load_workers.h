/* Processes of one server that share a log (vLLM, SGLang): each is a device of the run, with the
 * pid or the rank that its lines are marked with. Private to the load log parser. */
#ifndef INSPECT_LOAD_WORKERS_H
#define INSPECT_LOAD_WORKERS_H

#include "inspect/load_run.h"

/* The GPU of one process; `rank` empty: there is only one, "GPU". Another pid than before under the
 * same rank is another process: what the earlier one held is forgotten. Valid until the next call.
 */
struct load_device *worker_of(struct load_run_reading *run, struct raw_text rank,
                              struct measured pid);
bool worker_has_bytes(const struct load_run_reading *run, const struct load_device *worker);
/* Sets what it holds of a kind (and of one of several parts) for the model being read. */
void worker_set_bytes(struct load_run_reading *run, const struct load_device *worker,
                      enum load_buffer_kind kind, struct raw_text part, int64_t bytes);
void worker_forget_bytes(struct load_run_reading *run, const struct load_device *worker);

/* The model that all of them load; begun where nothing has named it yet. */
struct load_model *workers_model(struct load_run_reading *run, const char *runtime);
/* A path, or a name of a hub. */
void workers_name(struct load_run_reading *run, struct load_model *model, struct raw_text id);
void workers_set_context(struct load_run_reading *run, struct measured tokens);
/* The value of an argument as Python prints it (key is "model="); empty: None, or not there. */
struct raw_text worker_argument(struct raw_text text, const char *key);

#endif
