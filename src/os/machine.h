/* The machine that is observed: the real one or a recorded one. It is an argument everywhere;
 * nothing reads "/" or the clock behind its back. The operations a machine offers are the same on
 * every system; os/linux, os/windows, os/macos and os/recorded implement them.
 *
 * Variables (docs/recorded-machines.md): GPUTASKMAN_SYSROOT, GPUTASKMAN_RECORDED,
 * GPUTASKMAN_SAMPLE_TIMES, GPUTASKMAN_WALL_TIMES, GPUTASKMAN_SAMPLE_FILE, GPUTASKMAN_SELF_PID. */
#ifndef OS_MACHINE_H
#define OS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/problem.h"
#include "os/inside.h"
#include "os/root.h"
#include "reading/pass.h"
#include "reading/process.h"
#include "reading/reading.h"

enum machine_mode { MODE_NATIVE, MODE_CONTAINER, MODE_WSL, MODE_WINDOWS, MODE_MACOS, MODE_COUNT };

const char *machine_mode_name(enum machine_mode mode); /* "native" */

struct machine;

/* What the collector is asked for in one pass. */
struct system_request {
    bool walk; /* walk all processes for device files */
    /* Processes named by a driver or wanted by the screen: their details are read too. */
    const int64_t *pids;
    size_t pid_count;
    bool look_for_cuda; /* fill maps_gpu_runtime of the pids and of walked NVIDIA holders */
};

/* True when pids[at] stands before it already. */
bool system_request_repeats(const struct system_request *request, size_t at);

struct machine_ops {
    void (*close)(struct machine *machine);
    /* Everything the system itself says, into `reading` (reset by the caller). Runs on the
     * collector thread. Processes that end meanwhile are left out without a word. */
    void (*read_system)(struct machine *machine, const struct pass *pass,
                        const struct system_request *request, struct system_reading *reading);
    enum machine_mode (*mode)(struct machine *machine);
};

struct sample_script;

struct machine {
    const struct machine_ops *ops;
    const char *system; /* "linux", "windows", "macos" */
    bool recorded;
    int64_t self_pid;     /* our own process in the observed process table */
    struct root *root;    /* NULL where there is no Linux file tree; moves with the samples */
    struct inside inside; /* ops NULL: nothing is seen inside processes */
    struct sample_script *script; /* os/recorded/script.h; NULL on a real machine */
};

/* Opens the machine that the environment names; the real one by default. */
bool machine_open(struct machine **machine, struct problem *problem);
void machine_close(struct machine **machine);

/* Starts sample `number`: a recorded machine moves to its tree of that sample,
 * GPUTASKMAN_SAMPLE_FILE is rewritten, and the clocks of `pass` are filled (running, elapsed, wall;
 * the rest of *pass is kept). No collector may be at work. */
void machine_begin_sample(struct machine *machine, uint64_t number, struct pass *pass);
/* False when samples follow each other without waiting (scripted clock). */
bool machine_waits_between_samples(const struct machine *machine);
/* How many samples a recorded machine has (trees or times, whichever is more); 0: no end. */
uint64_t machine_sample_count(const struct machine *machine);
/* Running clock now: that of the current sample where it is scripted. Thread-safe. */
int64_t machine_running_ns(const struct machine *machine);
int64_t machine_wall_ns(const struct machine *machine);

static inline enum machine_mode machine_mode(struct machine *machine)
{
    return machine->ops->mode(machine);
}

static inline void machine_read_system(struct machine *machine, const struct pass *pass,
                                       const struct system_request *request,
                                       struct system_reading *reading)
{
    machine->ops->read_system(machine, pass, request, reading);
}

#endif
