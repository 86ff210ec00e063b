#!/bin/sh
# Compares what gputaskman says of the Intel GPUs of this machine with the kernel's own files, read at
# the same time. usage: intel.sh [PROGRAM]
#
# Exit status: 0 everything agrees, 1 something differs, 77 there is no such GPU. Takes about ten
# seconds a card. Carry this folder and a portable build to the machine; nothing is changed there and
# no sleeping card is woken. Run it twice, as yourself and with sudo: engine loads and the power of an
# integrated GPU need CAP_PERFMON.
set -u
here=$(dirname "$0")
program='' work='' hwmon=''
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$here/common.sh"

cards=$(cards_of i915 xe)
if [ -z "$cards" ]; then
    say "no Intel GPU with the i915 or xe driver here: nothing to check"
    exit 77
fi
find_program "${1:-}"
work=$(mktemp -d)
say "$("$program" --version) on Linux $(uname -r), perf_event_paranoid $(cat "$root/proc/sys/kernel/perf_event_paranoid" 2>/dev/null), uid $(id -u)"

# The hwmon folder of the card itself, not of one of its tiles.
hwmon_of() {
    for folder in "$1"/hwmon/hwmon*; do
        [ -r "$folder/name" ] || continue
        case $(cat "$folder/name") in i915 | xe) printf '%s\n' "$folder" && return ;; esac
    done
}

first_of() {
    for file in "$@"; do
        if [ -n "$file" ] && [ -r "$file" ]; then
            printf '%s\n' "$file"
            return
        fi
    done
}

watch_card() {
    : >"$work/watch"
    card=$(echo "$device"/drm/card[0-9]*)
    watch_file clock "$(first_of "$card/gt/gt0/rps_act_freq_mhz" "$card/gt_act_freq_mhz" "$device/tile0/gt0/freq0/act_freq")"
    watch_file limit_clock "$(first_of "$card/gt/gt0/rps_max_freq_mhz" "$card/gt_max_freq_mhz" "$device/tile0/gt0/freq0/max_freq")"
    if [ -z "$hwmon" ]; then
        # An integrated GPU has no sensor of its own: ours is the processor's, marked as inferred.
        watch_file package "$(first_of "$root"/sys/devices/platform/coretemp.0/hwmon/hwmon*/temp1_input)"
        return
    fi
    watch_file package "$(first_of "$(labelled temp pkg input)" "$hwmon/temp1_input")"
    watch_file vram "$(labelled temp vram input)"
    watch_file limit "$(first_of "$hwmon/power1_max" "$hwmon/power2_max")"
    watch_file card_energy "$(first_of "$(labelled energy card input)" "$hwmon/energy1_input")"
    watch_file package_energy "$(labelled energy pkg input)"
    for number in 1 2 3; do watch_file fan "$hwmon/fan${number}_input"; done
}

# Power against the growth of the counter that moves, over the whole time of watching: the load may
# have changed meanwhile, so this only finds a wrong counter or a wrong unit.
compare_power() {
    value=$(ours "adapters.$place.power_watts")
    kernel=$(awk '
        $1 ~ /_energy$/ { if (!($1 in first)) first[$1] = $2; last[$1] = $2; n[$1]++ }
        END {
            name = last["card_energy"] > first["card_energy"] ? "card_energy" : "package_energy"
            if (n[name] > 1 && last[name] > first[name]) printf "%.3f", (last[name] - first[name]) / 1e6
        }' "$work/seen")
    if [ -z "$kernel" ]; then
        say "  -        power: no energy counter moves; we say ${value:-nothing} ($(why power_watts))"
        return
    fi
    seconds=$(awk -v began="$began" -v ended="$ended" 'BEGIN { print ended - began }')
    mean=$(awk -v joules="$kernel" -v seconds="$seconds" 'BEGIN { printf "%.2f", joules / seconds }')
    if [ -n "$value" ] && [ "$value" != null ] &&
        awk -v ours="$value" -v mean="$mean" 'BEGIN { exit !(ours >= mean / 3 && ours <= mean * 3 + 2) }'; then
        ok "power: $value W (mean of the counter: $mean W)"
    else
        bad "power: we say $value W ($(why power_watts)), the counter $mean W in the mean"
    fi
}

compare_card() {
    compare "GT clock, MHz" clocks_mhz.graphics clock 1 150
    compare "highest GT clock, MHz" max_clocks_mhz.graphics limit_clock 1 0
    compare "package, degrees" temperatures_celsius.edge package 1000 2
    compare "VRAM, degrees" temperatures_celsius.memory vram 1000 2
    compare "power limit, W" power_limit_watts limit 1000000 0.01
    compare "fan, rpm" fan_rpm fan 1 100
    compare_power
}

tell_permitted() {
    for field in load_percent power_watts memory.vram_total_bytes memory.vram_used_bytes; do
        value=$(ours "adapters.$place.$field")
        how=$(ours "adapters.$place.not_measured.$field")
        if [ "${value:-null}" = null ]; then
            say "  -        $field: n/a ($(why "$field"))"
        else
            say "  -        $field: $value (${how:-measured})"
        fi
    done
}

for address in $cards; do
    device=$(device_of "$address")
    hwmon=$(hwmon_of "$device")
    say ""
    if [ "$(cat "$device/power/runtime_status" 2>/dev/null)" = suspended ]; then
        check_asleep "$device"
        continue
    fi
    watch_card
    began=$(cut -d ' ' -f 1 /proc/uptime)
    run_watched
    ended=$(cut -d ' ' -f 1 /proc/uptime)
    place=$(adapter_place "pci:$address")
    if [ -z "$place" ]; then
        bad "$address is not listed"
        continue
    fi
    say "$address: $(ours "adapters.$place.name"), $(ours "adapters.$place.kind")"
    compare_card
    tell_permitted
    compare_processes "$address" "vram|local"
done
summary
