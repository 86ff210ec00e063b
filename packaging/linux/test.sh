#!/bin/sh
# test.sh ARCHITECTURE...: builds each archive twice, in different folders, and checks what is inside and that it runs where there
# is nothing but libc: no terminfo, no libraries. What is for another processor runs its unit tests in qemu-user. Ends in
# "N passed, N failed[, N skipped]".
set -eu

cd "$(dirname "$0")/../.."
top=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0
check() {
    what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "failed $what"; fi
}
skip() {
    echo "skipped $1: $2"
    skipped=$((skipped + 1))
}
highest() { "$1objdump" -T "$2" | grep -oE 'GLIBC_[0-9.]+' | sort -Vu | tail -1 | cut -d_ -f2; }
not_above() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | tail -1)" = "$2" ]; }
only_libc() { ! "$1objdump" -p "$2" | sed -n 's/ *NEEDED *//p' | grep -vE '^(libc|libm|libdl|libpthread|ld-linux-(x86-64|aarch64))\.so\.[0-9]$'; }
has() { tar -tzf "$1" | grep -qx "$(basename "$1" .tar.gz)/$2"; }
summed() { (cd "$(dirname "$1")" && sha256sum -c --quiet "$(basename "$1").sha256"); }
case_root=$top/tests/cases/drm/amd-rdna3-private-client/frame0
runs() { env GPUTASKMAN_SYSROOT="$case_root" GPUTASKMAN_NVML=/nonexistent HOME=/nonexistent "$@" --once | grep -q llama-server; }

chroot=$(command -v chroot || echo /usr/sbin/chroot)
# A root with the program and libc alone.
make_root() {
    mkdir -p "$work/bare/lib64" "$work/bare/machine" "$work/bare/dev/pts" "$work/bare/tmp"
    cp "$program" "$work/bare/gputaskman"
    cp -r "$case_root/." "$work/bare/machine"
    for library in $(ldd "$program" | grep -oE '/[^ ]+'); do mkdir -p "$work/bare$(dirname "$library")" && cp "$library" "$work/bare$library"; done
}
in_root() { env -i LC_ALL=C.UTF-8 TERM="$1" GPUTASKMAN_SYSROOT=/machine GPUTASKMAN_NVML=/nonexistent "$chroot" "$work/bare" /gputaskman "$2"; }
prints() { in_root dumb --once | grep -q llama-server; }
# The screen is what `script` keeps of a terminal of its own.
draws() {
    # shellcheck disable=SC2016
    (sleep 2; printf q) | TERM_INSIDE=$1 ROOT=$work/bare CHROOT=$chroot timeout 30 script -qec \
        'stty cols 80 rows 24; env -i TERM=$TERM_INSIDE GPUTASKMAN_SYSROOT=/machine GPUTASKMAN_NVML=/nonexistent "$CHROOT" "$ROOT" /gputaskman' \
        "$work/screen" >/dev/null || true
    grep -aq llama-server "$work/screen"
}
run_bare() {
    if [ "$(id -u)" != 0 ]; then
        skip "$architecture: a root with libc alone" "chroot needs root"
        return
    fi
    make_root
    check "$architecture: prints in a root with libc alone" prints
    for term in xterm-256color tmux-256color linux foot; do check "$architecture: the live screen there, TERM=$term" draws "$term"; done
}

# Not those that start themselves as other processes or crash on purpose: qemu-user is in the way of that.
run_units() {
    build=build-units-$architecture
    rm -rf "$build"
    if ! { packaging/linux/configure.sh "$architecture" "$build" && ninja -C "$build"; } >"$work/log" 2>&1; then
        tail -20 "$work/log"
        failed=$((failed + 1))
    fi
    names=$(meson test -C "$build" --list 2>/dev/null | sed -n 's/^gputaskman:unit \/ //p' | grep -vxE 'machine|signals|helper|listening_sockets')
    # shellcheck disable=SC2086
    tests/run "$build" -t 10 $names >"$work/log" || grep '^failed' "$work/log" || true
    line=$(tail -1 "$work/log")
    echo "$architecture: unit tests in qemu-user: $line"
    passed=$((passed + ${line%% *})) failed=$((failed + $(echo "$line" | sed -E 's/.*passed, ([0-9]+) failed.*/\1/')))
    skip "$architecture: the unit tests machine, signals, helper, listening_sockets" "they start or crash processes or ask by netlink, which qemu-user does not imitate"
}

stated=$(sed -nE 's/.*glibc ([0-9.]+) or later.*/\1/p' docs/installing.md)
for architecture in "$@"; do
    case $architecture in
    x64) tools="" emulator="" ;;
    *) tools=aarch64-linux-gnu- emulator="qemu-aarch64 -L /usr/aarch64-linux-gnu" ;;
    esac
    git clone -q . "$work/elsewhere-$architecture"
    first=$(packaging/linux/build.sh "$architecture" "$work/first" | tail -1)
    second=$("$work/elsewhere-$architecture/packaging/linux/build.sh" "$architecture" "$work/second" | tail -1)
    check "$architecture: two builds, the same bytes" cmp "$first" "$second"
    check "$architecture: the sum" summed "$first"
    for file in gputaskman gtm gputaskman.1 completions/gputaskman.bash completions/_gputaskman completions/gputaskman.fish LICENSE licences/libevent.txt; do
        check "$architecture: has $file" has "$first" "$file"
    done
    tar -C "$work" -xzf "$first"
    program=$(echo "$work"/gputaskman-*-linux-"$architecture")/gputaskman
    check "$architecture: needs libc alone" only_libc "$tools" "$program"
    check "$architecture: symbols up to glibc $(highest "$tools" "$program"), not above the $stated of docs/installing.md" not_above "$(highest "$tools" "$program")" "$stated"
    # shellcheck disable=SC2086
    check "$architecture: runs on a recorded machine" runs $emulator "$program"
    if [ -z "$emulator" ]; then run_bare; else run_units; fi
done
echo "$passed passed, $failed failed$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ]
