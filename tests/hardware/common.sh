# shellcheck shell=sh
# What the hardware checks share: our JSON as lines, the kernel's files watched meanwhile, and the
# comparison of the two. Sourced by amd.sh and intel.sh. Needs a shell, awk and the usual small tools.

agree=0
differ=0
here=${here:-.}         # the folder of these scripts
work=${work:-/nonexistent} # a temporary folder of the caller's
hwmon=${hwmon:-}        # the hwmon folder of the card at hand
root=${GPUTASKMAN_SYSROOT:-} # what stands for / (a recorded machine, to try these scripts on)

say() { printf '%s\n' "$*"; }

ok() {
    agree=$((agree + 1))
    say "  agrees   $*"
}

bad() {
    differ=$((differ + 1))
    say "  DIFFERS  $*"
}

# The program: the first argument, GPUTASKMAN, beside this folder, or in the build folder.
find_program() {
    for candidate in "${1:-}" "${GPUTASKMAN:-}" "$here/gputaskman" "$here/../gputaskman" \
        "$here/../../build/src/gputaskman"; do
        if [ -n "$candidate" ] && [ -x "$candidate" ]; then
            program=$candidate
            return 0
        fi
    done
    say "no gputaskman found: give its path as the first argument"
    exit 2
}

# JSON on standard input to lines "adapters.0.id<TAB>pci:0000:03:00.0". Strings lose their quotes.
flatten() {
    awk '
    { text = text $0 "\n" }
    function leaf(value) { print path() "\t" value }
    function path(   i, out) {
        for (i = 1; i <= depth; i++) out = out (i > 1 ? "." : "") (kind[i] == "[" ? index_of[i] : key[i])
        return out
    }
    END {
        n = length(text); i = 1; depth = 0
        while (i <= n) {
            c = substr(text, i, 1)
            if (c == "{" || c == "[") {
                depth++; kind[depth] = c; index_of[depth] = 0; key[depth] = ""; want_key = (c == "{"); i++
            } else if (c == "}" || c == "]") {
                depth--; want_key = 0; i++
            } else if (c == ",") {
                index_of[depth]++; want_key = (kind[depth] == "{"); i++
            } else if (c == "\"") {
                j = i + 1; out = ""
                while (j <= n && (d = substr(text, j, 1)) != "\"") {
                    if (d == "\\") { j++; d = substr(text, j, 1) }
                    out = out d; j++
                }
                i = j + 1
                if (want_key) { key[depth] = out; want_key = 0 } else leaf(out)
            } else if (c ~ /[-0-9tfn]/) {
                j = i
                while (j <= n && substr(text, j, 1) ~ /[-+.0-9a-zA-Z]/) j++
                leaf(substr(text, i, j - i)); i = j
            } else i++
        }
    }'
}

# The value of one path in the flattened snapshot.
ours() { awk -F '\t' -v path="$1" '$1 == path { print $2; exit }' "$work/flat"; }

# The number of the adapter with this id among adapters[].
adapter_place() {
    awk -F '\t' -v id="$1" '$2 == id && $1 ~ /^adapters\.[0-9]+\.id$/ { split($1, part, "."); print part[2]; exit }' \
        "$work/flat"
}

# Why a figure is missing, as we say it.
why() { ours "adapters.$place.unavailable.$1"; }

# The number in a file; of a table of levels ("1: 500Mhz *") that of the current one.
number_in() {
    case $1 in
    *_level) awk '/\*$/ { sub(/[Mm][Hh]z.*/, "", $2); print $2 }' "$2" 2>/dev/null | tail -n 1 ;;
    *) cat "$2" 2>/dev/null ;;
    esac
}

# Reads the files named in $work/watch ("NAME PATH") over and over into $work/seen ("NAME VALUE")
# until $work/stop appears, at most for a minute.
watch_files() {
    rounds=0
    while [ ! -e "$work/stop" ] && [ "$rounds" -lt 600 ]; do
        while read -r name path; do
            value=$(number_in "$name" "$path") && printf '%s %s\n' "$name" "$value" >>"$work/seen"
        done <"$work/watch"
        rounds=$((rounds + 1))
        sleep 0.1
    done
}

# Runs the program while the files are watched; its last snapshot is flattened into $work/flat.
run_watched() {
    rm -f "$work/stop"
    : >"$work/seen"
    watch_files &
    watcher=$!
    sleep 0.3
    "$program" record --count 3 -i 1 -o "$work/lines" 2>"$work/errors" || {
        say "the program failed: $(cat "$work/errors")"
        differ=$((differ + 1))
    }
    sleep 0.3
    : >"$work/stop"
    wait "$watcher"
    tail -n 1 "$work/lines" | flatten >"$work/flat"
}

# compare WORDS FIELD NAME UNIT SLACK: ours (FIELD of the adapter) lies among what the file NAME held
# meanwhile divided by UNIT, give or take SLACK.
compare() {
    words=$1 field=$2 name=$3 unit=$4 slack=$5
    value=$(ours "adapters.$place.$field")
    range=$(awk -v name="$name" -v unit="$unit" '
        $1 == name && $2 ~ /^-?[0-9]+$/ { v = $2 / unit; if (n++ == 0 || v < low) low = v; if (n == 1 || v > high) high = v }
        END { if (n) printf "%.15g %.15g", low, high }' "$work/seen")
    if [ -z "$range" ]; then
        if [ -z "$value" ] || [ "$value" = null ]; then
            say "  -        $words: neither the kernel nor we have it ($(why "$field"))"
        elif [ "$(ours "adapters.$place.not_measured.$field")" = reported ]; then
            say "  -        $words: $value by the firmware's table alone"
        else
            bad "$words: we say $value, the kernel's file gives nothing"
        fi
        return
    fi
    if [ -z "$value" ] || [ "$value" = null ]; then
        bad "$words: we say nothing ($(why "$field")), the kernel $range"
        return
    fi
    if awk -v ours="$value" -v slack="$slack" -v low="${range% *}" -v high="${range#* }" \
        'BEGIN { exit !(ours >= low - slack && ours <= high + slack) }'; then
        ok "$words: $value (kernel: ${range% *} to ${range#* })"
    else
        bad "$words: we say $value, the kernel ${range% *} to ${range#* }"
    fi
}

# The file of the hwmon folder $hwmon for a labelled sensor: "temp edge input" to temp1_input.
labelled() {
    for label in "$hwmon/$1"*_label; do
        if [ -r "$label" ] && [ "$(cat "$label")" = "$2" ]; then
            printf '%s\n' "${label%_label}_$3"
            return
        fi
    done
}

watch_file() {
    if [ -n "$2" ] && [ -r "$2" ]; then printf '%s %s\n' "$1" "$2" >>"$work/watch"; fi
}

# Bytes that a process can reach in regions whose name matches the pattern, by fdinfo: each client
# once. Sizes are bytes without a unit, else KiB or MiB. Kernels before 6.13 say memory for resident.
resident_of() {
    cat "$root/proc/$1"/fdinfo/* 2>/dev/null | awk -v address="$2" -v regions="$3" '
        function close_client(   name) {
            if (here && !((id) in done)) {
                for (name in memory) if (!(name in resident)) sum += memory[name]
                for (name in resident) sum += resident[name]
                done[id] = 1
            }
            here = 0; id = ""
            split("", memory); split("", resident)
        }
        function size() { return $2 * ($3 == "KiB" ? 1024 : $3 == "MiB" ? 1048576 : $3 == "GiB" ? 1073741824 : 1) }
        $1 == "pos:" { close_client() }
        $1 == "drm-pdev:" && $2 == address { here = 1 }
        $1 == "drm-client-id:" && id == "" { id = $2 }
        $1 ~ ("^drm-resident-(" regions ")[0-9]*:$") { name = $1; sub(/^drm-resident-/, "", name); resident[name] = size() }
        $1 ~ ("^drm-memory-(" regions ")[0-9]*:$") { name = $1; sub(/^drm-memory-/, "", name); memory[name] = size() }
        END { close_client(); printf "%.0f\n", sum }'
}

# Every process that we charge with bytes on this adapter, against its own fdinfo.
compare_processes() {
    address=$1 regions=$2
    awk -F '\t' -v id="pci:$address" '
        $1 ~ /^processes\.[0-9]+\.pid$/ { split($1, p, "."); pid[p[2]] = $2 }
        $1 ~ /^processes\.[0-9]+\.gpus\.[0-9]+\.adapter_id$/ && $2 == id { split($1, p, "."); on[p[2]] = p[4] }
        $1 ~ /^processes\.[0-9]+\.gpus\.[0-9]+\.vram_bytes$/ { split($1, p, "."); bytes[p[2] "." p[4]] = $2 }
        END { for (i in on) print pid[i], bytes[i "." on[i]] }' "$work/flat" >"$work/charged"
    while read -r pid bytes; do
        if [ "$bytes" = null ]; then
            say "  -        process $pid: not charged"
            continue
        fi
        kernel=$(resident_of "$pid" "$address" "$regions")
        if printf '%s %s\n' "$bytes" "$kernel" | awk '{ d = $1 - $2; if (d < 0) d = -d; exit !(d <= 16777216 + $2 / 50) }'; then
            ok "process $pid: $bytes bytes of VRAM (fdinfo now: $kernel)"
        else
            bad "process $pid: we say $bytes bytes of VRAM, its fdinfo $kernel"
        fi
    done <"$work/charged"
}

# A sleeping card must be told as such, and must still sleep afterwards.
check_asleep() {
    device=$1
    say "$address sleeps: only its state is checked"
    : >"$work/watch"
    run_watched
    place=$(adapter_place "pci:$address")
    if [ "$(ours "adapters.$place.power_state")" = suspended ]; then
        ok "told as suspended"
    else
        bad "we say $(ours "adapters.$place.power_state")"
    fi
    if [ "$(cat "$device/power/runtime_status")" = suspended ]; then
        ok "still asleep"
    else
        bad "it woke up"
    fi
}

# PCI addresses of the cards of a driver, one a line.
cards_of() {
    for node in "$root"/sys/class/drm/card[0-9]*; do
        case ${node##*/} in *-*) continue ;; esac
        driver=$(readlink "$node/device/driver" 2>/dev/null) || continue
        for wanted in "$@"; do
            if [ "${driver##*/}" = "$wanted" ]; then basename "$(readlink -f "$node/device")"; fi
        done
    done
}

# The folder of the card with this PCI address.
device_of() {
    for node in "$root"/sys/class/drm/card[0-9]*; do
        folder=$(readlink -f "$node/device")
        if [ "${folder##*/}" = "$1" ]; then
            printf '%s\n' "$folder"
            return
        fi
    done
    printf '%s\n' "$root/sys/bus/pci/devices/$1"
}

summary() {
    say ""
    say "$agree agree, $differ differ"
    rm -rf "$work"
    [ "$differ" -eq 0 ]
}
