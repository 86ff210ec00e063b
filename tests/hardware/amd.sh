#!/bin/sh
# Compares what gputaskman says of the AMD GPUs of this machine with the kernel's own files, read at
# the same time. usage: amd.sh [PROGRAM]
#
# Exit status: 0 everything agrees, 1 something differs, 77 there is no such GPU. Takes about ten
# seconds a card. Carry this folder and a portable build to the machine; nothing is changed there and
# no sleeping card is woken.
set -u
here=$(dirname "$0")
program='' work='' hwmon=''
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$here/common.sh"

cards=$(cards_of amdgpu)
if [ -z "$cards" ]; then
    say "no AMD GPU with the amdgpu driver here: nothing to check"
    exit 77
fi
find_program "${1:-}"
work=$(mktemp -d)
say "$("$program" --version) on Linux $(uname -r)"

watch_card() {
    : >"$work/watch"
    for file in mem_info_vram_total mem_info_vram_used mem_info_gtt_total mem_info_gtt_used gpu_busy_percent mem_busy_percent; do
        watch_file "$file" "$device/$file"
    done
    watch_file edge "$(labelled temp edge input)"
    watch_file junction "$(labelled temp junction input)"
    watch_file mem "$(labelled temp mem input)"
    # Without such a sensor the level that the driver marks counts.
    watch_file sclk "$(labelled freq sclk input)"
    watch_file mclk "$(labelled freq mclk input)"
    watch_file sclk_level "$device/pp_dpm_sclk"
    watch_file mclk_level "$device/pp_dpm_mclk"
    power=$hwmon/power1_average
    [ -r "$power" ] || power=$hwmon/power1_input
    watch_file power "$power"
    watch_file cap "$hwmon/power1_cap"
    watch_file fan "$hwmon/fan1_input"
}

compare_clock() {
    if grep -q "^$3 " "$work/seen"; then
        compare "$1" "$2" "$3" 1000000 60
    else
        compare "$1" "$2" "$3_level" 1 60
    fi
}

compare_card() {
    compare "VRAM total" memory.vram_total_bytes mem_info_vram_total 1 0
    compare "VRAM used" memory.vram_used_bytes mem_info_vram_used 1 67108864
    compare "GTT total" memory.shared_total_bytes mem_info_gtt_total 1 0
    compare "GTT used" memory.shared_used_bytes mem_info_gtt_used 1 67108864
    compare "load, %" load_percent gpu_busy_percent 1 5
    compare "memory activity, %" memory_activity_percent mem_busy_percent 1 5
    compare "edge, degrees" temperatures_celsius.edge edge 1000 1
    compare "hotspot, degrees" temperatures_celsius.hotspot junction 1000 1
    compare "memory, degrees" temperatures_celsius.memory mem 1000 2
    compare "power, W" power_watts power 1000000 3
    compare "power limit, W" power_limit_watts cap 1000000 0.01
    compare "fan, rpm" fan_rpm fan 1 60
    compare_clock "graphics clock, MHz" clocks_mhz.graphics sclk
    compare_clock "memory clock, MHz" clocks_mhz.memory mclk
}

# KFD's own figure, which we show beside fdinfo.
compare_kfd() {
    for process in "$root"/sys/class/kfd/kfd/proc/[0-9]*; do
        [ -d "$process" ] || continue
        pid=${process##*/}
        if awk -F '\t' -v pid="$pid" '$1 ~ /^processes\.[0-9]+\.pid$/ && $2 == pid { found = 1 } END { exit !found }' "$work/flat"; then
            ok "HIP process $pid is listed"
        else
            bad "HIP process $pid is not listed"
        fi
    done
}

for address in $cards; do
    device=$(device_of "$address")
    hwmon=$(echo "$device"/hwmon/hwmon*)
    say ""
    if [ "$(cat "$device/power/runtime_status" 2>/dev/null)" = suspended ]; then
        check_asleep "$device"
        continue
    fi
    watch_card
    run_watched
    place=$(adapter_place "pci:$address")
    if [ -z "$place" ]; then
        bad "$address is not listed"
        continue
    fi
    say "$address: $(ours "adapters.$place.name"), $(ours "adapters.$place.kind")"
    compare_card
    say "  link: PCIe $(ours "adapters.$place.pcie.generation") x $(ours "adapters.$place.pcie.width")"
    compare_processes "$address" vram
    compare_kfd
done
summary
