#!/bin/sh
# toolchain.sh x64|arm64 SOURCES FOLDER: FOLDER/names says which compiler makes programs for Windows, and with which flags: CC, AR,
# HARDENING and WARNINGS (compiling), LINKING. For x64 it is Debian's. For arm64 it is made here, in FOLDER: Debian has clang and lld, which can,
# but none of the C runtime's start-up code and import libraries for them; those are built from the sources of mingw-w64.
set -eu

architecture=$1
here=$(cd "$(dirname "$0")" && pwd)
sources=$(cd "$2" && pwd)
mkdir -p "$3"
folder=$(cd "$3" && pwd)
[ ! -f "$folder/names" ] || exit 0
needs() { for tool in "$@"; do command -v "$tool" >/dev/null 2>&1 || { echo "toolchain.sh: no $tool here" && exit 77; }; done; }
case $architecture in
x64)
    needs x86_64-w64-mingw32-gcc-win32 x86_64-w64-mingw32-ar
    cat >"$folder/names.new" <<'END'
CC=x86_64-w64-mingw32-gcc-win32
AR=x86_64-w64-mingw32-ar
HARDENING=-fstack-protector-strong
# It checks formats against the old C runtime, which knows no %zu; the compiler's own printf is used.
WARNINGS='-Wno-format -Wno-format-extra-args -Wno-float-conversion'
LINKING='-Wl,--dynamicbase,--nxcompat,--high-entropy-va,--no-insert-timestamp -fstack-protector-strong'
END
    ;;
arm64)
    needs clang-19 llvm-ar-19 llvm-ranlib-19 llvm-dlltool-19 make
    [ -e /usr/lib/llvm-19/bin/ld.lld ] || { echo "toolchain.sh: no lld-19 here" && exit 77; }
    target=aarch64-w64-mingw32
    sysroot=$folder/$target
    work=$folder/.work
    rm -rf "$work"
    mkdir -p "$work/headers" "$work/crt/libarm64"
    processors=$(nproc)
    quietly() { "$@" >"$work/log" 2>&1 || { tail -20 "$work/log" >&2 && exit 1; }; }
    cd "$work/headers"
    quietly "$sources/mingw-w64/mingw-w64-headers/configure" --prefix="$sysroot" --host=$target --with-default-msvcrt=ucrt --with-default-win32-winnt=0x0A00
    quietly make install
    cd "$work/crt"
    # Only what is linked: the rest of Windows takes two minutes more.
    quietly "$sources/mingw-w64/mingw-w64-crt/configure" --prefix="$sysroot" --host=$target --disable-dependency-tracking \
        --disable-lib32 --disable-lib64 --disable-libarm32 --enable-libarm64 --with-default-msvcrt=ucrt \
        CC="clang-19 --target=$target --sysroot=$sysroot" AR=llvm-ar-19 RANLIB=llvm-ranlib-19 DLLTOOL=llvm-dlltool-19 \
        CFLAGS="-O2 -ffile-prefix-map=$sources=."
    set -- crt2.o crtbegin.o crtend.o
    for library in mingw32 mingwex moldname ucrt kernel32 advapi32 ws2_32; do set -- "$@" "lib$library.a"; done
    # The names are words on purpose.
    # shellcheck disable=SC2046
    quietly make -j"$processors" $(printf 'libarm64/%s ' "$@")
    mkdir -p "$sysroot/lib"
    for file in "$@"; do cp "libarm64/$file" "$sysroot/lib/"; done
    clang-19 --target=$target -c "$here/chkstk.S" -o "$sysroot/lib/chkstk.o"
    cd "$folder"
    rm -rf "$work"
    # lld looks into every library for what is missing, in whatever order they are named.
    cat >"$folder/names.new" <<END
CC='clang-19 --target=$target --sysroot=$sysroot'
AR=llvm-ar-19
HARDENING=
WARNINGS=-Wno-enum-float-conversion
LINKING='-Qunused-arguments -nodefaultlibs -lmingw32 -lmoldname -lmingwex -lucrt -lkernel32 $sysroot/lib/chkstk.o -Wl,--dynamicbase,--nxcompat,--high-entropy-va,--no-insert-timestamp'
END
    ;;
*) echo "toolchain.sh: x64 or arm64, not $architecture" >&2 && exit 2 ;;
esac
mv "$folder/names.new" "$folder/names"
