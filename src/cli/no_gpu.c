#include "cli/no_gpu.h"

#include <stdio.h>
#include <string.h>

#include "cli/command.h"

/* What each source looked for; on Windows under another name. */
static const struct {
    const char *source, *looked_for, *on_windows;
} searches[] = {
    {"drm", "graphics cards in /sys/class/drm (AMD, Intel and others)"},
    {"nvml", "NVIDIA cards on the PCI bus and NVIDIA's libnvidia-ml.so.1",
     "NVIDIA cards among Windows' devices and NVIDIA's nvml.dll"},
    {"adl", "AMD's library for its Windows driver, atiadlxx.dll"},
    {"wddm", "adapters that Windows tells of, and its counters of the GPU"},
    {"metal", "accelerators in the IOKit registry (Metal)"},
    {"rocdxg", "AMD's library for ROCm in WSL, librocdxg.so.1"},
    {"windows", "GPUs that Windows tells of, through PowerShell"},
};

/* "4.4.0-19041-Microsoft": WSL 1, which passes no GPU on (WSL 2's kernel ends otherwise). */
static bool is_wsl_1(const struct snapshot *snapshot)
{
    static const char suffix[] = "-Microsoft";
    const size_t length = sizeof suffix - 1;
    const struct text kernel = snapshot->host.kernel;
    return kernel.size > length && memcmp(kernel.utf8 + kernel.size - length, suffix, length) == 0;
}

static bool is_windows(const struct snapshot *snapshot)
{
    return snapshot->mode == SNAPSHOT_WINDOWS;
}

static void say_remedies(const struct snapshot *snapshot)
{
    if (is_wsl_1(snapshot)) {
        fputs("  this is WSL 1, which has no GPU; in Windows this makes it WSL 2:\n"
              "    wsl --set-version DISTRIBUTION 2\n",
              stderr);
    }
    if (is_windows(snapshot)) {
        fputs("  `gputaskman --demo` shows a recorded machine; a GPU needs Windows 10 1709 or "
              "later and\n"
              "  a driver for WDDM 2; what the machine has is shown by\n"
              "    pnputil /enum-devices /class Display\n",
              stderr);
        return;
    }
    if (snapshot->mode == SNAPSHOT_MACOS) {
        fputs("  `gputaskman --demo` shows a recorded machine; a sandbox or a virtual machine may "
              "show\n"
              "  no GPU; what the machine has is shown by\n"
              "    ioreg -r -d 1 -c IOAccelerator\n",
              stderr);
        return;
    }
    fputs("  `gputaskman --demo` shows a recorded machine; a container needs the GPU passed\n"
          "  in (--gpus all, or --device /dev/dri); what the machine has is shown by\n"
          "    lspci -nn | grep -E 'VGA|3D|Display'\n",
          stderr);
}

int no_gpu_explain(const struct snapshot *snapshot)
{
    fputs("gputaskman: no supported GPU found\n", stderr);
    for (size_t i = 0; i < snapshot->source_count; i++) {
        const struct source_status *status = &snapshot->sources[i];
        for (size_t k = 0; k < sizeof searches / sizeof *searches; k++) {
            if (!text_equal_string(status->name, searches[k].source)) {
                continue;
            }
            bool renamed = searches[k].on_windows && is_windows(snapshot);
            fprintf(stderr, "  looked for %s:\n    ",
                    renamed ? searches[k].on_windows : searches[k].looked_for);
            if (text_is_none(status->detail) || status->detail.size == 0) {
                fputs(status->state == SOURCE_FAILED ? "failed" : "none", stderr);
            } else {
                text_out(stderr, status->detail, true);
            }
            fputc('\n', stderr);
        }
    }
    say_remedies(snapshot);
    return EXIT_NO_GPU;
}
