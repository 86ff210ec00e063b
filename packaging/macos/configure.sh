#!/bin/sh
# configure.sh arm64|x64 BUILD_FOLDER [MESON OPTIONS...]: sets up a build for macOS on x86-64 Linux: everything but libSystem linked
# in. What it needs itself (compiler, sources, libraries) is made first, once, in build-macos/, or in the folder that MACOS_CACHE
# names. Exit status 77 and why: it can't be made on this system. Apple's frameworks are opened at run time: no SDK is needed.
set -eu

architecture=$1 build=$2
shift 2
cd "$(dirname "$0")/../.."
cache=${MACOS_CACHE:-build-macos}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
[ "$(uname -sm)" = "Linux x86_64" ] || { echo "configure.sh: the pinned compiler runs on x86-64 Linux alone" && exit 77; }
zig=$(packaging/macos/zig.sh "$cache/zig")
packaging/windows/sources.sh "$cache/sources" packaging/macos/sources.txt
prefix=$cache/$architecture
packaging/macos/libraries.sh "$architecture" "$cache/sources" "$zig" "$prefix"
case $architecture in
arm64) family=aarch64 ;;
*) family=x86_64 ;;
esac
cat >"$build.ini" <<END
[binaries]
c = '$prefix/cc'
ar = '$prefix/ar'
ranlib = '$prefix/ranlib'
pkgconfig = 'pkg-config'

[properties]
pkg_config_libdir = '$prefix/lib/pkgconfig'
needs_exe_wrapper = true

[host_machine]
system = 'darwin'
cpu_family = '$family'
cpu = '$family'
endian = 'little'
END
meson setup "$build" "$@" --cross-file="$build.ini" --buildtype=plain -Doptimization=1 --prefix=/usr/local -Dprefer_static=true \
    -Dc_args="-ffile-prefix-map=$PWD=."
