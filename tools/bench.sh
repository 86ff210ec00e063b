#!/bin/sh
# bench.sh BUILD [PEER]: what looking costs, as figures measured in this one run (bench/README.md). PEER, or the variable
# of that name: another monitor's binary, measured on the same screen with the same made-up driver.
set -eu

build=$1
peer=${2:-${PEER:-}}
parts=${PARTS:-"walk screen files recordings"}
out=$(cd "$build" && pwd)/bench
mkdir -p "$out/files" "$out/driver"
libraries=""
for library in "$build"/src/lib*.a; do libraries="$libraries $library"; done

cc -O2 -o "$out/popgen" bench/popgen.c
cc -O2 -std=gnu11 -o "$out/tuimeter" bench/tuimeter.c
cc -O2 -std=gnu11 -shared -fPIC -Wl,-soname,libnvidia-ml.so.1 -o "$out/driver/libnvidia-ml.so.1" bench/nvml_stub.c
for program in walk gguf_bench replay_bench; do
    # The list is of words on purpose.
    # shellcheck disable=SC2086
    cc -O2 -std=gnu11 -D_GNU_SOURCE -Isrc -o "$out/$program" "bench/$program.c" \
        -Wl,--start-group $libraries -Wl,--end-group -ljansson -lzstd -levent_core -levent_extra -lncursesw -ltinfo -lpthread -ldl -lm
done

# A population of sleeping processes, held until release.
hold() {
    mkfifo "$out/hold.$$"
    "$out/popgen" -p "$1" -f "$2" <"$out/hold.$$" >"$out/ready" &
    maker=$!
    exec 9>"$out/hold.$$"
    rm "$out/hold.$$"
    until grep -q ready "$out/ready"; do sleep 0.2; done
}

release() {
    exec 9>&-
    wait "$maker" || true
}

figure() { awk -v name="$1" '$1 == name { print $2; exit }' "$out/figures"; }

# within WORDS VALUE UNIT BUDGET
within() {
    awk -v words="$1" -v value="${2:-}" -v unit="$3" -v budget="$4" 'BEGIN {
        if (value !~ /^[0-9]/) printf "  %-42s not measured\n", words
        else printf "  %-42s %9.2f %-5s budget %g: %s\n", words, value, unit, budget, value <= budget ? "met" : "NOT MET"
    }'
}

# system_calls SECONDS PROGRAM...: a second, of the program and of what it started.
system_calls() {
    if ! command -v strace >/dev/null; then return; fi
    seconds=$1
    shift
    "$out/tuimeter" -c 160 -r 50 -w 4 -s $((seconds + 3)) -p "$out/family" -- "$@" >/dev/null &
    meter=$!
    sleep 5
    processes=$(sed 's/^/-p /' "$out/family")
    # shellcheck disable=SC2086
    timeout -s INT "$seconds" strace -f -c -o "$out/calls" $processes 2>/dev/null || true
    wait "$meter" || true
    awk -v seconds="$seconds" '$NF == "total" { printf "%.0f\n", $4 / seconds }' "$out/calls"
}

measure() { "$out/tuimeter" -c 160 -r 50 -w "${WARM:-6}" -s "${SPAN:-12}" -- "$@" >"$out/figures"; }

# Time to the first frame, the median of several starts.
first_frame() {
    for start in 1 2 3 4 5 6 7; do
        "$out/tuimeter" -c 160 -r 50 -w 0.6 -s 0.1 -- "$@" | awk -v start="$start" '$1 == "first-frame" { print $2, start }'
    done | sort -n | awk 'NR == 4 { print $1 }'
}

bench_walk() {
    for population in "500 20" "2000 20" "500 100" "2000 100"; do
        # shellcheck disable=SC2086
        set -- $population
        echo "=== $1 processes with $2 descriptors each"
        hold "$1" "$2"
        "$out/walk" 32 | tee -a "$out/slope"
        release
    done
    echo "=== slope: the first look, a descriptor more and a process more (linear: both columns alike)"
    awk '
        { split($0, part, /[ :,]+/); n++; processes[n] = part[1]; descriptors[n] = part[3]
          match($0, /bare loop [0-9.]+/); bare = substr($0, RSTART + 10, RLENGTH - 10)
          match($0, /first look [0-9.]+/); first[n] = bare * substr($0, RSTART + 11, RLENGTH - 11) }
        function per_process(a, b) { return (first[b] - first[a]) * 1000 / (processes[b] - processes[a]) }
        END {
            if (n < 4) exit
            printf "  with 20 descriptors  %.2f us a process\n", per_process(1, 2)
            printf "  with 100 descriptors %.2f us a process\n", per_process(3, 4)
            printf "  500 processes  %.3f us a descriptor\n", (first[3] - first[1]) * 1000 / (descriptors[3] - descriptors[1])
            printf "  2000 processes %.3f us a descriptor\n", (first[4] - first[2]) * 1000 / (descriptors[4] - descriptors[2])
        }' "$out/slope"
}

bench_screen() {
    program=$build/src/gputaskman
    echo "=== the idle live screen: 8 made-up GPUs, 200 GPU processes, helpers counted (load $(cut -d' ' -f1 /proc/loadavg))"
    hold 200 20
    ps -o pid= --ppid "$maker" | head -200 >"$out/pids"
    export LD_LIBRARY_PATH="$out/driver" NVML_STUB_GPUS=8 NVML_STUB_PIDS="$out/pids" TERM=xterm-256color LANG=C.UTF-8
    measure "$program"
    sed -n 's/^thread /  /p' "$out/figures"
    own=$(figure cpu)
    within "CPU" "$own" ms/s 2.2
    within "system calls" "$(system_calls 6 "$program")" /s 485
    within "most wake-ups of one thread" "$(figure wakeups-most)" /s 1.1
    within "resident" "$(awk -v kib="$(figure rss)" 'BEGIN { print kib / 1024 }')" MiB 16
    within "resident, the helper and its driver" "$(awk -v kib="$(figure rss-helper)" 'BEGIN { print kib / 1024 }')" MiB 16
    within "close: terminal restored" "$(figure restored)" ms 250
    within "close: ended" "$(figure close)" ms 250
    within "first frame (median of 7)" "$(first_frame "$program")" ms 30
    NVML_STUB_HANG_AFTER=900 WARM=6 SPAN=1 measure "$program"
    within "close with a hung helper: restored" "$(figure restored)" ms 250
    within "close with a hung helper: ended" "$(figure close)" ms 250
    if [ -n "$peer" ]; then
        # shellcheck disable=SC2086
        measure $peer
        echo "  peer $peer: $(figure cpu) ms/s CPU, $(figure rss) KiB, first frame $(figure first-frame) ms"
        # shellcheck disable=SC2086
        echo "  peer: $(system_calls 6 $peer) system calls a second"
        awk -v own="$own" -v its="$(figure cpu)" 'BEGIN { if (its > 0) printf "  our CPU is %.2f of its\n", own / its }'
    fi
    release
}

: >"$out/slope"
for part in $parts; do
    case $part in
    walk) bench_walk ;;
    screen) bench_screen ;;
    files)
        echo "=== the header of a model file"
        "$out/gguf_bench" "$out/files"
        ;;
    recordings)
        echo "=== a recording"
        python3 bench/recording.py "$build/src/gputaskman" data/demo.jsonl 200
        echo "=== opening a recording of 1 GB in the live screen"
        "$out/replay_bench" data/demo.jsonl "$out/files" 1000
        ;;
    esac
done
