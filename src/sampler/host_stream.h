/* The Windows host as seen from WSL: one long-lived PowerShell that streams a sample a second, or
 * the program that GPUTASKMAN_POWERSHELL names. Always a newest reading ("windows"), whatever state
 * it is in: starting, ok (live), off (--no-host, or Windows interop is off), failed. What is too
 * old is told by the tick, as for every source.
 *
 * On a machine with scripted times it takes the last line whose time is not beyond the sample's;
 * one that is waits for a later sample. */
#ifndef SAMPLER_HOST_STREAM_H
#define SAMPLER_HOST_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "os/helper.h"
#include "os/machine.h"
#include "os/wake.h"
#include "reading/reading.h"

struct host_stream;

/* NULL where there is no Windows host: the machine is not WSL. */
struct host_stream *host_stream_new(struct machine *machine, struct wake *wake, bool switched_off);
void host_stream_free(struct host_stream **stream, int64_t patience_ns);

/* Begins a pass: starts the helper when it is due and takes what has arrived. */
void host_stream_begin(struct host_stream *stream, const struct pass *pass);
/* True while this pass should wait for more: for the sample of a scripted time, or, in one-shot
 * output, for the first one. Both are bounded. */
bool host_stream_poll(struct host_stream *stream);
/* Between the samples: takes what has arrived, so that it does not grow old in the pipe. */
void host_stream_drain(struct host_stream *stream);
/* True when it must be drained between samples that are far apart. */
bool host_stream_is_running(const struct host_stream *stream);
/* Valid until the next call of any of these. */
const struct reading *host_stream_newest(struct host_stream *stream);
struct helper *host_stream_helper(const struct host_stream *stream);

#endif
