/*
 * nvml_stub - the smallest libnvidia-ml.so.1 that monitors accept, for cost
 * measurements without a GPU.  Every call answers at once from memory, so what
 * is measured is the monitor.
 *
 *   NVML_STUB_GPUS=8              number of devices (default 1)
 *   NVML_STUB_PIDS=FILE           process ids, one a line, dealt to the devices in turn
 *   NVML_STUB_DELAY_US=N          busy-free wait in every per-device query (default 0)
 *   NVML_STUB_HANG_AFTER=N        the N-th per-device query never comes back
 *   NVML_STUB_LOG=FILE            at shutdown: number of calls per function
 *
 * Numbers move with time so that every refresh has something to redraw.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OK = 0, INVALID = 2, NOT_SUPPORTED = 3, INSUFFICIENT = 7, MAX_GPUS = 64, MAX_PIDS = 65536 };

struct device {
    unsigned index;
};
struct process {
    unsigned pid;
    unsigned long long bytes;
    unsigned gi, ci;
};
struct sample {
    unsigned pid;
    unsigned long long stamp;
    unsigned sm, mem, enc, dec;
};
struct pci {
    char legacy[16];
    unsigned domain, bus, device, id, subsys;
    char bus_id[32];
};
struct memory {
    unsigned long long total, free, used;
};
struct memory2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};
struct rates {
    unsigned gpu, memory;
};

static struct device devices[MAX_GPUS];
static unsigned gpus = 1, pid_count, delay_us;
static unsigned long hang_after, queries;
static unsigned pids[MAX_PIDS];

enum { CALLS = 64 };
static struct {
    const char *name;
    unsigned long n;
} calls[CALLS];

static void note(const char *name)
{
    for (int i = 0; i < CALLS; i++)
        if (!calls[i].name || strcmp(calls[i].name, name) == 0) {
            calls[i].name = name;
            calls[i].n++;
            break;
        }
    if (delay_us)
        usleep(delay_us);
    while (hang_after && ++queries >= hang_after)
        pause();
}

#define QUERY(name, ...)                                                                           \
    __attribute__((visibility("default"))) int name(struct device *d, __VA_ARGS__)
#define CALLED() (note(__func__), (void)d)

static unsigned wave(const struct device *d, unsigned low, unsigned high)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    unsigned ms = (unsigned)(t.tv_sec * 1000 + t.tv_nsec / 1000000);
    return low + (ms / 10 + d->index * 37) % (high - low + 1);
}

int nvmlInit_v2(void)
{
    const char *v = getenv("NVML_STUB_GPUS"), *file = getenv("NVML_STUB_PIDS");

    if (v && atoi(v) > 0 && atoi(v) <= MAX_GPUS)
        gpus = (unsigned)atoi(v);
    v = getenv("NVML_STUB_DELAY_US");
    delay_us = v ? (unsigned)atoi(v) : 0;
    v = getenv("NVML_STUB_HANG_AFTER");
    hang_after = v ? (unsigned long)atol(v) : 0;
    for (unsigned i = 0; i < gpus; i++)
        devices[i].index = i;
    FILE *f = file ? fopen(file, "r") : NULL;
    while (f && pid_count < MAX_PIDS && fscanf(f, "%u", &pids[pid_count]) == 1)
        pid_count++;
    if (f)
        fclose(f);
    return OK;
}

int nvmlShutdown(void)
{
    const char *log = getenv("NVML_STUB_LOG");
    FILE *f = log ? fopen(log, "w") : NULL;

    for (int i = 0; f && i < CALLS && calls[i].name; i++)
        fprintf(f, "%8lu %s\n", calls[i].n, calls[i].name);
    if (f)
        fclose(f);
    return OK;
}

const char *nvmlErrorString(int code)
{
    return code == OK ? "Success" : "Not Supported";
}
int nvmlDeviceGetCount_v2(unsigned *n)
{
    *n = gpus;
    return OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned i, struct device **d)
{
    if (i >= gpus)
        return INVALID;
    *d = &devices[i];
    return OK;
}

int nvmlSystemGetDriverVersion(char *text, unsigned size)
{
    snprintf(text, size, "580.00");
    return OK;
}

QUERY(nvmlDeviceGetName, char *name, unsigned size)
{
    CALLED();
    snprintf(name, size, "NVIDIA Stub 24GB");
    return OK;
}

QUERY(nvmlDeviceGetPciInfo_v3, struct pci *p)
{
    CALLED();
    memset(p, 0, sizeof *p);
    p->bus = d->index + 1;
    p->id = 0x268410de;
    snprintf(p->legacy, sizeof p->legacy, "0000:%02x:00.0", p->bus);
    snprintf(p->bus_id, sizeof p->bus_id, "00000000:%02X:00.0", p->bus);
    return OK;
}

QUERY(nvmlDeviceGetUUID, char *text, unsigned size)
{
    CALLED();
    snprintf(text, size, "GPU-00000000-0000-0000-0000-%012u", d->index);
    return OK;
}

#define CONSTANT(name, value)                                                                      \
    QUERY(name, unsigned *v)                                                                       \
    {                                                                                              \
        CALLED();                                                                                  \
        *v = (value);                                                                              \
        return OK;                                                                                 \
    }
CONSTANT(nvmlDeviceGetMaxPcieLinkGeneration, 4)
CONSTANT(nvmlDeviceGetMaxPcieLinkWidth, 16)
CONSTANT(nvmlDeviceGetCurrPcieLinkGeneration, 4)
CONSTANT(nvmlDeviceGetCurrPcieLinkWidth, 16)
CONSTANT(nvmlDeviceGetFanSpeed, wave(d, 20, 60))
CONSTANT(nvmlDeviceGetPowerUsage, wave(d, 60000, 350000))
CONSTANT(nvmlDeviceGetEnforcedPowerLimit, 450000)

#define INDEXED(name, value)                                                                       \
    QUERY(name, int which, unsigned *v)                                                            \
    {                                                                                              \
        CALLED();                                                                                  \
        *v = (value) + 0u * (unsigned)which;                                                       \
        return OK;                                                                                 \
    }
INDEXED(nvmlDeviceGetTemperatureThreshold, 90)
INDEXED(nvmlDeviceGetTemperature, wave(d, 40, 80))
INDEXED(nvmlDeviceGetClockInfo, wave(d, 300, 2500))
INDEXED(nvmlDeviceGetMaxClockInfo, 2520)
INDEXED(nvmlDeviceGetPcieThroughput, wave(d, 0, 900000))

QUERY(nvmlDeviceGetUtilizationRates, struct rates *r)
{
    CALLED();
    r->gpu = wave(d, 0, 100);
    r->memory = wave(d, 0, 60);
    return OK;
}

QUERY(nvmlDeviceGetMemoryInfo, struct memory *m)
{
    CALLED();
    m->total = 24ULL << 30;
    m->used = (unsigned long long)wave(d, 4000, 20000) << 20;
    m->free = m->total - m->used;
    return OK;
}

QUERY(nvmlDeviceGetMemoryInfo_v2, struct memory2 *m)
{
    CALLED();
    m->total = 24ULL << 30;
    m->reserved = 300ULL << 20;
    m->used = (unsigned long long)wave(d, 4000, 20000) << 20;
    m->free = m->total - m->used - m->reserved;
    return OK;
}

QUERY(nvmlDeviceGetEncoderUtilization, unsigned *v, unsigned *period)
{
    CALLED();
    *v = wave(d, 0, 30), *period = 100000;
    return OK;
}

QUERY(nvmlDeviceGetDecoderUtilization, unsigned *v, unsigned *period)
{
    CALLED();
    *v = wave(d, 0, 30), *period = 100000;
    return OK;
}

static int list(const struct device *d, unsigned *count, struct process *out, unsigned part)
{
    unsigned have = 0, room = *count;

    for (unsigned i = d->index; i < pid_count; i += gpus) {
        if ((i / gpus) % 4 == 3 ? part == 0 : part == 1) /* a quarter is graphics */
            continue;
        if (have < room)
            out[have] = (struct process){pids[i], (100ULL + i) << 20, ~0u, ~0u};
        have++;
    }
    *count = have;
    return have > room ? INSUFFICIENT : OK;
}

QUERY(nvmlDeviceGetComputeRunningProcesses_v3, unsigned *count, struct process *out)
{
    CALLED();
    return list(d, count, out, 0);
}

QUERY(nvmlDeviceGetGraphicsRunningProcesses_v3, unsigned *count, struct process *out)
{
    CALLED();
    return list(d, count, out, 1);
}

QUERY(nvmlDeviceGetMPSComputeRunningProcesses_v3, unsigned *count, struct process *out)
{
    CALLED();
    (void)out;
    *count = 0;
    return OK;
}

QUERY(nvmlDeviceGetProcessUtilization, struct sample *out, unsigned *count,
      unsigned long long since)
{
    CALLED();
    (void)since;
    unsigned have = 0, room = *count;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    for (unsigned i = d->index; i < pid_count; i += gpus, have++)
        if (out && have < room)
            out[have] = (struct sample){pids[i],
                                        (unsigned long long)t.tv_sec * 1000000 +
                                            (unsigned long long)t.tv_nsec / 1000 - i,
                                        wave(d, 0, 40),
                                        3,
                                        0,
                                        0};
    *count = have;
    return have > room ? INSUFFICIENT : OK;
}

QUERY(nvmlDeviceGetMigMode, unsigned *now, unsigned *pending)
{
    CALLED();
    *now = *pending = 0;
    return NOT_SUPPORTED;
}
