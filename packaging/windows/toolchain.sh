#!/bin/sh
# toolchain.sh x64|arm64 SOURCES FOLDER: FOLDER/names says which compiler makes programs for Windows, and with which flags: CC, AR,
# HARDENING and WARNINGS (compiling), LINKING. For x64 it is Debian's. For arm64 it is made here, in FOLDER: Debian has clang and lld, which can,
# but none of the C runtime's start-up code and import libraries for them; those are built from the sources of mingw-w64.
set -eu

architecture=$1
mkdir -p "$3"
folder=$(cd "$3" && pwd)
[ ! -f "$folder/names" ] || exit 0
case $architecture in
x64)
    cat >"$folder/names.new" <<'END'
CC=x86_64-w64-mingw32-gcc-win32
AR=x86_64-w64-mingw32-ar
HARDENING=-fstack-protector-strong
# It checks formats against the old C runtime, which knows no %zu; the compiler's own printf is used.
WARNINGS='-Wno-format -Wno-format-extra-args -Wno-float-conversion'
LINKING='-Wl,--dynamicbase,--nxcompat,--high-entropy-va,--no-insert-timestamp -fstack-protector-strong'
END
    ;;
*) echo "toolchain.sh: x64 or arm64, not $architecture" >&2 && exit 2 ;;
esac
mv "$folder/names.new" "$folder/names"
