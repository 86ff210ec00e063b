#!/bin/sh
# test.sh ARCHITECTURE...: builds each archive and checks what is inside: which libraries of Windows it wants, how it is hardened, and
# that it runs under wine (x64; ARM64 can't be run here). That of x64 is built twice, in different folders. Ends in
# "N passed, N failed[, N skipped]".
set -eu

cd "$(dirname "$0")/../.."
top=$PWD
work=$(mktemp -d)
export WINDOWS_CACHE="${WINDOWS_CACHE:-$top/build-windows}" WINEPREFIX="$work/wine"
tidy() {
    [ ! -d "$WINEPREFIX" ] || wineserver -k >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap tidy EXIT
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
has() { unzip -l "$1" | awk '{print $4}' | grep -qx "$(basename "$1" .zip)/$2"; }
summed() { (cd "$(dirname "$1")" && sha256sum -c --quiet "$(basename "$1").sha256"); }
one_folder() { [ "$(unzip -l "$1" | awk 'NR > 3 && NF == 4 {print $4}' | cut -d/ -f1 | sort -u)" = "$(basename "$1" .zip)" ]; }
tells() { llvm-readobj-19 "$@"; }
imports() { tells --coff-imports "$1" | sed -n 's/^  Name: //p' | sort -f | tr '[:upper:]' '[:lower:]'; }
# Exactly these: each is one that Windows always takes from its own folder (a KnownDLL, or a set of the C runtime).
wants_only() { diff "$top/packaging/windows/imports-$architecture.txt" - <<END >&2; }
$(imports "$1")
END
hardened() {
    for flag in DYNAMIC_BASE HIGH_ENTROPY_VA NX_COMPAT; do tells --file-headers "$1" | grep -q "IMAGE_DLL_CHARACTERISTICS_$flag" || { echo "no $flag" && return 1; }; done
}
is_for() { tells --file-headers "$1" | grep -q "Machine: $2"; }
carries() { grep -aq "$2" "$1"; }
no_folder() { ! grep -aqF -e "$top" -e "$work" -e "$WINDOWS_CACHE" "$1"; }
wine() { timeout 120 packaging/windows/wine.sh "$@"; }
says_version() { wine "$1" --version | tr -d '\r' | grep -q "^gputaskman $(tools/version.sh) (commit"; }
prints_json() { wine "$1" --json 2>/dev/null | jq -e '.schema == "gputaskman/1" and .host.os == "windows" and .host.memory_total_bytes > 0' >/dev/null; }

grows_stacks() { aarch64-linux-gnu-gcc -O1 -static packaging/windows/chkstk_test.c packaging/windows/chkstk.S -o "$work/chkstk" && timeout 60 qemu-aarch64 "$work/chkstk"; }

for architecture in "$@"; do
    case $architecture in
    x64) machine=IMAGE_FILE_MACHINE_AMD64 ;;
    *) machine=IMAGE_FILE_MACHINE_ARM64 ;;
    esac
    status=0 built=build-windows-$architecture
    # What make portability has built is built the same way.
    [ -f "$built/build.ninja" ] || built=""
    first=$(WINDOWS_BUILD=$built packaging/windows/build.sh "$architecture" "$work/first" | tail -1) || status=$?
    case $status in
    0) ;;
    77) skip "$architecture" "$first" && continue ;;
    *) failed=$((failed + 1)) && echo "failed to build the archive for $architecture" && continue ;;
    esac
    if [ "$architecture" = x64 ]; then
        git clone -q . "$work/elsewhere"
        second=$("$work/elsewhere/packaging/windows/build.sh" "$architecture" "$work/second" | tail -1)
        check "$architecture: two builds, the same bytes" cmp "$first" "$second"
    fi
    check "$architecture: the sum" summed "$first"
    check "$architecture: one folder" one_folder "$first"
    for file in gputaskman.exe gtm.exe README.md LICENSE.txt docs/windows.md licences/jansson.txt licences/libevent.txt licences/libzstd.txt licences/mingw-w64.txt licences/versions.txt; do
        check "$architecture: has $file" has "$first" "$file"
    done
    unzip -q "$first" -d "$work"
    folder=$work/$(basename "$first" .zip)
    program=$folder/gputaskman.exe
    check "$architecture: both names are the same program" cmp "$program" "$folder/gtm.exe"
    check "$architecture: for its processor" is_for "$program" "$machine"
    check "$architecture: wants these libraries and no other" wants_only "$program"
    check "$architecture: ASLR with 64 bits, DEP" hardened "$program"
    check "$architecture: plain UTF-8" carries "$program" '>UTF-8</activeCodePage>'
    check "$architecture: long paths" carries "$program" '>true</longPathAware>'
    check "$architecture: no administrator" carries "$program" 'level="asInvoker"'
    check "$architecture: no folder of the build inside" no_folder "$program"
    if [ "$architecture" != x64 ]; then
        if command -v aarch64-linux-gnu-gcc >/dev/null 2>&1 && command -v qemu-aarch64 >/dev/null 2>&1; then
            check "$architecture: our part of the compiler's library" grows_stacks
        else
            skip "$architecture: our part of the compiler's library" "no cross compiler or no qemu-user"
        fi
        skip "$architecture: running it" "there is no Windows on ARM here, and wine has none"
    elif ! command -v wine >/dev/null 2>&1; then
        skip "$architecture: running it" "no wine"
    else
        check "$architecture: says its version" says_version "$program"
        check "$architecture: sees the machine" prints_json "$program"
        check "$architecture: gtm.exe" says_version "$folder/gtm.exe"
    fi
done
echo "$passed passed, $failed failed$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ]
