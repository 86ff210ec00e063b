#!/bin/sh
# Compares what gputaskman says of the NVIDIA GPUs of this machine with nvidia-smi, asked at the same
# time, and with allocations of known size that it makes itself. usage: nvidia.sh [PROGRAM]
#
# Exit status: 0 everything agrees, 1 something differs, 77 there is no such GPU. Takes about a
# minute. Carry this folder and a portable build to the machine; nothing is changed there and no
# sleeping card is woken. The allocations need a C compiler (the driver's library is enough: no CUDA
# toolkit) or a python3 with torch; without either that part is left out.
set -u
here=$(dirname "$0")
program='' work=''
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$here/common.sh"

cards=$(cards_of nvidia)
# A container, or a machine without its display driver, shows no /sys/class/drm: ask where the bus is.
[ -n "$cards" ] || cards=$(for device in "$root"/sys/bus/pci/drivers/nvidia/*:*; do
    if [ -e "$device" ]; then basename "$device"; fi
done)
if [ -z "$cards" ] && ! [ -e "$root/dev/nvidiactl" ]; then
    say "no NVIDIA GPU with the nvidia driver here: nothing to check"
    exit 77
fi
find_program "${1:-}"
work=$(mktemp -d)
say "$("$program" --version) on Linux $(uname -r)"

# nvidia-smi wakes what sleeps: it is only asked where everything is awake.
for address in $cards; do
    device=$(device_of "$address")
    if [ "$(cat "$device/power/runtime_status" 2>/dev/null)" = suspended ]; then
        check_asleep "$device"
        summary
        exit
    fi
done
if ! command -v nvidia-smi >/dev/null; then
    say "no nvidia-smi here: there is nothing to compare with"
    rm -rf "$work"
    exit 77
fi

fields="memory.total memory.used memory.reserved utilization.gpu utilization.memory temperature.gpu"
fields="$fields power.draw enforced.power.limit fan.speed clocks.gr clocks.sm clocks.mem clocks.video"
fields="$fields pcie.link.gen.current pcie.link.width.current"

# Writes what nvidia-smi says as "CARD.FIELD VALUE" (CARD: its UUID) into $work/seen until told to
# stop, at most for a minute.
watch_cards() {
    rounds=0
    query=uuid,$(echo "$fields" | tr ' ' ',')
    while [ ! -e "$work/stop" ] && [ "$rounds" -lt 600 ]; do
        nvidia-smi --query-gpu="$query" --format=csv,noheader,nounits 2>/dev/null |
            awk -F ', *' -v fields="$fields" '
                BEGIN { count = split(fields, name, " ") }
                { for (i = 1; i <= count; i++) print $1 "." name[i], $(i + 1) }' >>"$work/seen"
        nvidia-smi --query-compute-apps=gpu_uuid,pid,used_memory --format=csv,noheader,nounits 2>/dev/null |
            awk -F ', *' '{ print $1 ".process." $2, $3 }' >>"$work/seen"
        rounds=$((rounds + 1))
        sleep 0.1
    done
}

run_beside_smi() {
    rm -f "$work/stop"
    : >"$work/seen"
    watch_cards &
    watcher=$!
    sleep 1
    "$program" record --count 4 -i 1 -o "$work/lines" 2>"$work/errors" || bad "the program failed: $(cat "$work/errors")"
    sleep 0.5
    : >"$work/stop"
    wait "$watcher"
    tail -n 1 "$work/lines" | flatten >"$work/flat"
}

# compare_smi WORDS FIELD SMI_FIELD SCALE SLACK: ours lies among what nvidia-smi said meanwhile times
# SCALE, give or take SLACK; where it says "[N/A]" we must say nothing.
compare_smi() {
    words=$1 field=$2 name=$uuid.$3 scale=$4 slack=$5
    value=$(ours "adapters.$place.$field")
    range=$(awk -v name="$name" -v scale="$scale" '
        $1 == name && $2 ~ /^-?[0-9.]+$/ { v = $2 * scale; if (n++ == 0 || v < low) low = v; if (n == 1 || v > high) high = v }
        END { if (n) printf "%.15g %.15g", low, high }' "$work/seen")
    if [ -z "$range" ]; then
        if [ -z "$value" ] || [ "$value" = null ]; then
            say "  -        $words: neither nvidia-smi nor we have it ($(why "$field"))"
        else
            say "  -        $words: we say $value, nvidia-smi does not tell"
        fi
    elif [ -z "$value" ] || [ "$value" = null ]; then
        bad "$words: we say nothing ($(why "$field")), nvidia-smi $range"
    elif awk -v ours="$value" -v slack="$slack" -v low="${range% *}" -v high="${range#* }" \
        'BEGIN { exit !(ours >= low - slack && ours <= high + slack) }'; then
        ok "$words: $value (nvidia-smi: ${range% *} to ${range#* })"
    else
        bad "$words: we say $value, nvidia-smi ${range% *} to ${range#* }"
    fi
}

compare_card() {
    mib=1048576
    compare_smi "memory total" memory.vram_total_bytes memory.total $mib $mib
    compare_smi "memory used" memory.vram_used_bytes memory.used $mib 67108864
    compare_smi "memory reserved" memory.vram_reserved_bytes memory.reserved $mib $mib
    compare_smi "load, %" load_percent utilization.gpu 1 10
    compare_smi "memory activity, %" memory_activity_percent utilization.memory 1 10
    compare_smi "degrees" temperatures_celsius.edge temperature.gpu 1 2
    compare_smi "power, W" power_watts power.draw 1 15
    compare_smi "power limit, W" power_limit_watts enforced.power.limit 1 0.01
    compare_smi "fan, %" fan_percent fan.speed 1 3
    compare_smi "graphics clock, MHz" clocks_mhz.graphics clocks.gr 1 100
    compare_smi "SM clock, MHz" clocks_mhz.sm clocks.sm 1 100
    compare_smi "memory clock, MHz" clocks_mhz.memory clocks.mem 1 100
    compare_smi "video clock, MHz" clocks_mhz.video clocks.video 1 100
    compare_smi "PCIe generation" pcie.generation pcie.link.gen.current 1 0
    compare_smi "PCIe width" pcie.width pcie.link.width.current 1 0
}

# The bytes of one process on this adapter: measured, or what it was matched with.
bytes_of() {
    awk -F '\t' -v pid="$1" -v id="$2" '
        $1 ~ /^processes\.[0-9]+\.pid$/ && $2 == pid { split($1, p, "."); row[p[2]] = 1 }
        $1 ~ /^processes\.[0-9]+\.gpus\.[0-9]+\.adapter_id$/ && $2 == id { split($1, p, "."); on[p[2] "." p[4]] = 1 }
        $1 ~ /^processes\.[0-9]+\.gpus\.[0-9]+\.vram(_inferred)?_bytes$/ && $2 != "null" { split($1, p, "."); bytes[p[2] "." p[4]] = $2 }
        END { for (i in bytes) { split(i, p, "."); if (row[p[1]] && on[i]) print bytes[i] } }' "$work/flat" | head -n 1
}

# Every compute process that nvidia-smi lists; inside a container its pids may be the host's.
compare_processes_smi() {
    awk -v uuid="$uuid" '
        index($1, uuid ".process.") == 1 { pid = substr($1, length(uuid ".process.") + 1); seen[pid]++; mib[pid] = $2 }
        END { for (pid in seen) print pid, mib[pid] }' "$work/seen" >"$work/listed"
    while read -r pid mib; do
        bytes=$(bytes_of "$pid" "$id")
        case $mib in *[!0-9]* | '')
            say "  -        process $pid: nvidia-smi does not tell its memory (we: ${bytes:-nothing})"
            continue
            ;;
        esac
        if [ -z "$bytes" ]; then
            bad "process $pid: nvidia-smi says $mib MiB, we do not charge it"
        elif awk -v ours="$bytes" -v mib="$mib" 'BEGIN { d = ours / 1048576 - mib; exit !(d > -65 && d < 65) }'; then
            ok "process $pid: $bytes bytes (nvidia-smi: $mib MiB)"
        else
            bad "process $pid: we say $bytes bytes, nvidia-smi $mib MiB"
        fi
    done <"$work/listed"
}

# A process that holds 512 MiB more than its empty context: prints "context", waits for a line,
# allocates, prints "held", waits for the end of its input.
write_allocators() {
    cat >"$work/hold.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW), *context = 0;
    unsigned long long held = 0;
    int device = 0;
    if (!cuda)
        return 1;
    int (*start)(unsigned) = (int (*)(unsigned))dlsym(cuda, "cuInit");
    int (*get)(int *, int) = (int (*)(int *, int))dlsym(cuda, "cuDeviceGet");
    int (*create)(void **, unsigned, int) = (int (*)(void **, unsigned, int))dlsym(cuda, "cuCtxCreate_v2");
    int (*allocate)(unsigned long long *, size_t) = (int (*)(unsigned long long *, size_t))dlsym(cuda, "cuMemAlloc_v2");
    if (!start || !get || !create || !allocate || start(0) || get(&device, 0) || create(&context, 0, device))
        return 1;
    puts("context"), fflush(stdout);
    if (getchar() == EOF || allocate(&held, (size_t)512 << 20))
        return 1;
    puts("held"), fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}
C
    cat >"$work/hold.py" <<'P'
import sys, torch
torch.zeros(1, device="cuda"); torch.cuda.synchronize()
print("context", flush=True)
if not sys.stdin.readline(): sys.exit(1)
held = torch.empty(512 << 20, dtype=torch.uint8, device="cuda")
print("held", flush=True)
sys.stdin.read()
P
}

wait_for() {
    rounds=0
    until grep -q "$1" "$work/said" 2>/dev/null; do
        kill -0 "$holder" 2>/dev/null && [ "$rounds" -lt 300 ] || return 1
        rounds=$((rounds + 1))
        sleep 0.1
    done
}

# What all GPUs hold for a process.
held_by() {
    "$program" --json 2>/dev/null | flatten >"$work/flat"
    awk -F '\t' -v pid="$1" '
        $1 ~ /^processes\.[0-9]+\.pid$/ && $2 == pid { split($1, p, "."); row[p[2]] = 1 }
        $1 ~ /^processes\.[0-9]+\.gpus\.[0-9]+\.vram(_inferred)?_bytes$/ && $2 != "null" { split($1, p, "."); bytes[p[2]] += $2; any[p[2]] = 1 }
        END { for (i in any) if (row[i]) printf "%.0f\n", bytes[i] }' "$work/flat" | head -n 1
}

check_allocation() {
    say ""
    write_allocators
    if cc -o "$work/hold" "$work/hold.c" -ldl 2>"$work/errors"; then
        set -- "$work/hold"
    elif python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null; then
        set -- python3 "$work/hold.py"
    else
        say "no C compiler and no torch: no allocation of our own is checked"
        return
    fi
    mkfifo "$work/input"
    "$@" <"$work/input" >"$work/said" 2>&1 &
    holder=$!
    exec 9>"$work/input"
    if ! wait_for context; then
        say "no context could be made ($(tail -n 1 "$work/said")): no allocation of our own is checked"
    else
        before=$(held_by "$holder")
        echo go >&9
        wait_for held || bad "the allocation failed"
        after=$(held_by "$holder")
        if [ -z "$before" ] || [ -z "$after" ]; then
            bad "process $holder holds a context of ours and is not charged (before: ${before:-nothing}, after: ${after:-nothing})"
        elif awk -v a="$before" -v b="$after" 'BEGIN { d = (b - a) / 1048576; exit !(d >= 510 && d <= 520) }'; then
            ok "512 MiB allocated by process $holder: it holds $((after - before)) bytes more"
        else
            bad "512 MiB allocated by process $holder: we say $before bytes before and $after after"
        fi
    fi
    exec 9>&-
    wait "$holder"
    if [ -n "$(held_by "$holder")" ]; then bad "process $holder has ended and is still charged"; fi
}

run_beside_smi
awk '{ sub(/\..*/, "", $1); print $1 }' "$work/seen" | sort -u >"$work/uuids"
while read -r uuid; do
    place=$(awk -F '\t' -v uuid="$uuid" '$2 == uuid && $1 ~ /^adapters\.[0-9]+\.uuid$/ { split($1, part, "."); print part[2]; exit }' "$work/flat")
    say ""
    if [ -z "$place" ]; then
        bad "$uuid is not listed"
        continue
    fi
    id=$(ours "adapters.$place.id")
    say "$id: $(ours "adapters.$place.name"), driver $(ours "adapters.$place.driver_version")"
    compare_card
    compare_processes_smi
done <"$work/uuids"
check_allocation
summary
