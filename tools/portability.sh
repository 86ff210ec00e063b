#!/bin/sh
# portability.sh: builds for Windows what is shipped there: for x64 with the portable unit tests and those of tests/windows, which run
# under wine; for ARM64 compiled and linked, which is all that can be tried here, as it is for macOS (packaging/macos/test.sh). Ends in
# "N passed, N failed[, N skipped]".
set -eu

cd "$(dirname "$0")/.."
passed=0 failed=0 skipped=0
skip() {
    echo "skipped $1: $2"
    skipped=$((skipped + 1))
}
# build ARCHITECTURE FOLDER OPTIONS...: 0 when it is built; 1 when that failed or can't be done here, which is then told.
build() {
    architecture=$1 folder=$2 status=0
    shift 2
    : >"$folder.log"
    [ -f "$folder/build.ninja" ] || packaging/windows/configure.sh "$architecture" "$folder" "$@" >"$folder.log" 2>&1 || status=$?
    if [ "$status" = 77 ]; then
        skip "Windows on $architecture" "$(tail -1 "$folder.log")"
        return 1
    fi
    [ "$status" != 0 ] || ninja -C "$folder" >>"$folder.log" 2>&1 || status=$?
    if [ "$status" != 0 ] || grep -q 'warning:' "$folder.log"; then
        grep -E 'error|warning:|undefined' "$folder.log" | head -20 || tail -20 "$folder.log"
        echo "failed Windows on $architecture"
        failed=$((failed + 1))
        return 1
    fi
    passed=$((passed + 1))
}

if build x64 build-windows-x64 -Dtests=true; then
    if command -v wine >/dev/null 2>&1; then
        export WINEPREFIX="${WINEPREFIX:-$PWD/build-wine}"
        # One server for all programs, and a prefix that is there before two of them start.
        packaging/windows/wine.sh build-windows-x64/src/gputaskman.exe --version >/dev/null
        wineserver -p || true
        tests/run build-windows-x64 --suite unit --suite wine -t 4 >build-windows-tests.log 2>&1 || true
        wineserver -k || true
        grep -E '^(failed|skipped)' build-windows-tests.log || true
        line=$(tail -1 build-windows-tests.log)
        echo "under wine: $line"
        number() { echo "$line" | sed -nE "s/.*\b([0-9]+) $1.*/\1/p"; }
        count=$(number passed)
        passed=$((passed + ${count:-0}))
        count=$(number failed)
        failed=$((failed + ${count:-1}))
        count=$(number skipped)
        skipped=$((skipped + ${count:-0}))
    else
        skip "the tests under wine" "no wine"
    fi
fi
build arm64 build-windows-arm64 -Dtests=false || true
packaging/macos/test.sh | tee build-macos-test.log
number() { tail -1 build-macos-test.log | sed -nE "s/.*\b([0-9]+) $1.*/\1/p"; }
count=$(number passed)
passed=$((passed + ${count:-0}))
count=$(number failed)
failed=$((failed + ${count:-1}))
count=$(number skipped)
skipped=$((skipped + ${count:-0}))
echo "$passed passed, $failed failed$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
