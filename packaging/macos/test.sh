#!/bin/sh
# test.sh: builds the whole program for macOS, arm64 and x86_64, and looks at what it asks of its system. Nothing here runs it: no
# Linux runs programs of macOS. Sizes and places of the kernel's structures are asserted while it is compiled. Ends in
# "N passed, N failed[, N skipped]".
set -eu

cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0
check() {
    what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "failed $what"; fi
}
has() { grep -qxF "$1" "$work/imports"; }
only() { [ "$(grep "^$1 " "$work/imports" | sort -u)" = "$1 $2" ]; }
# Called through a table that is filled at run time: none of them may be linked.
no_framework() { ! grep -E '^symbol _(CF|IO|MTL|objc_)' "$work/imports"; }

for architecture in arm64 x64; do
    build=build-macos-$architecture
    case $architecture in
    arm64) cpu=arm64 ;;
    *) cpu=x86_64 ;;
    esac
    rm -rf "$build"
    status=0
    packaging/macos/configure.sh "$architecture" "$build" -Dtests=false -Dwerror=true >"$work/log" 2>&1 || status=$?
    if [ "$status" = 77 ]; then
        echo "skipped macOS: $(tail -1 "$work/log")"
        skipped=$((skipped + 1))
        break
    fi
    [ "$status" != 0 ] || ninja -C "$build" >"$work/log" 2>&1 || status=$?
    if [ "$status" != 0 ]; then
        tail -30 "$work/log"
        echo "failed macOS $architecture: the program builds"
        failed=$((failed + 1))
        continue
    fi
    passed=$((passed + 1))
    packaging/macos/imports.py "$build/src/gputaskman" >"$work/imports"
    check "macOS $architecture: for $cpu" has "cpu $cpu"
    check "macOS $architecture: runs from macOS 12 on" has "minos 12.0"
    check "macOS $architecture: needs the system's library alone" only library /usr/lib/libSystem.B.dylib
    check "macOS $architecture: opens the frameworks at run time" no_framework
    # Apple's own processors start nothing without a signature.
    [ "$cpu" != arm64 ] || check "macOS $architecture: is signed" has signed
    for symbol in ledger task_name_for_pid task_info proc_pidinfo proc_pidfdinfo proc_pid_rusage sysctl host_statistics64 dlopen; do
        check "macOS $architecture: calls $symbol" has "symbol _$symbol"
    done
done
echo "$passed passed, $failed failed$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ]
