/* What the operating system said about processes and about the machine. */
#ifndef READING_PROCESS_H
#define READING_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "reading/identity.h"
#include "reading/measured.h"

/* The container that a process is in. */
struct container_reading {
    const char *runtime; /* "docker"; static */
    struct raw_text id;
    struct raw_text name, pod; /* by the path, or by a file that may be read; bytes NULL: unknown */
};

/* One process in one pass. All pointers live in the arena of the reading. Text fields with bytes
 * NULL are unknown. */
struct process_reading {
    struct identity identity;
    int64_t parent_pid;         /* 0: none or unknown */
    struct raw_text name;       /* comm, at most 15 bytes on Linux, or the image name */
    struct raw_text user;       /* name, or the uid in digits; NULL: unknown */
    struct raw_text command;    /* arguments, each followed by a NUL; empty for kernel threads */
    struct raw_text executable; /* target of /proc/PID/exe; NULL: not permitted */
    struct raw_text cgroup;     /* the text of /proc/PID/cgroup; NULL: unknown */
    const struct container_reading *container; /* NULL: none, or not looked for */
    int64_t start_wall_ns;                     /* wall clock of its start; 0: unknown */
    struct measured cpu_time_ns;               /* user + system, cumulative */
    struct measured ram_bytes;                 /* resident set */
    uint64_t address_space_bytes;              /* whatever is mapped; 0: unknown */
    int64_t read_running_ns;                   /* running clock just after cpu_time_ns was read */
    bool maps_gpu_runtime; /* libcuda (NVIDIA) mapped; only looked for where asked */
    bool maps_readable;
    /* From the environment of a process that maps the GPU runtime; bytes NULL: not set, or it may
     * not be read. */
    struct raw_text cuda_visible_devices, nvidia_visible_devices;
};

/* The machine as a whole. */
struct host_reading {
    struct raw_text name, kernel, boot_id;
    int64_t cpu_count;
    struct measured cpu_busy_ticks, cpu_total_ticks; /* cumulative, all CPUs */
    struct measured memory_total_bytes, memory_available_bytes;
    struct measured swap_total_bytes, swap_free_bytes;
    struct measured pid_max; /* where pids wrap, also those of the host seen from a container */
};

/* A device file held open by a process, classed once by the walk. */
enum device_class {
    DEVICE_DRM_RENDER,
    DEVICE_DRM_PRIMARY,
    DEVICE_ACCEL,          /* /dev/accel: NPUs, no GPUs */
    DEVICE_NVIDIA,         /* /dev/nvidia0 ... */
    DEVICE_NVIDIA_CONTROL, /* nvidiactl, nvidia-modeset, nvidia-uvm */
    DEVICE_KFD,
    DEVICE_DXG,
};

struct device_file {
    int32_t fd;
    enum device_class class;
    uint64_t device_number; /* dev_t: major << 32 | minor */
};

enum walk_access {
    WALK_LISTED,  /* its descriptors were listed and tested in this pass */
    WALK_SKIPPED, /* not looked at in this pass; device_files are those of its last look */
    WALK_REFUSED, /* its descriptor table may not be read */
};

struct walked_process {
    struct identity identity;
    enum walk_access access;
    bool incomplete;                        /* listed, but some descriptors could not be tested */
    bool clear;                             /* skipped, and SPEC section 5 calls it clear */
    int64_t looked_at_ns;                   /* running clock of the last look; 0: never */
    int64_t descriptor_count;               /* -1: unknown */
    const struct device_file *device_files; /* GPU-like ones only */
    size_t device_file_count;
};

/* One walk over all processes. Only processes that hold device files, or are refused, are listed in
 * `processes`; the counts cover all. */
struct walk_reading {
    const struct walked_process *processes;
    size_t process_count;
    int64_t scanned;    /* user-space processes seen, readable or not */
    int64_t unreadable; /* descriptor table refused */
    int64_t looked_at, skipped;
    int64_t oldest_look_ns; /* running clock of the oldest look relied on; INT64_MAX: none */
    bool complete;          /* /proc was listed to its end and every process looked at or clear */
    bool ran;               /* false: no adapter needs a walk, everything above is unknown */
    struct measured hidden; /* hidepid: known and 1 when other users' pids are hidden from us */
};

#endif
