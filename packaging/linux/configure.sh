#!/bin/sh
# configure.sh x64|arm64 BUILD_FOLDER [MESON OPTIONS...]: sets up a portable build: all libraries but libc's own linked in,
# the common terminal descriptions carried along.
set -eu

architecture=$1 build=$2
shift 2
cd "$(dirname "$0")/../.."
map=$PWD
include="" libraries=""
case $architecture in
x64) ;;
arm64)
    root=$PWD/build-sysroot-arm64
    packaging/linux/sysroot.sh arm64 "$root"
    mkdir -p "$build"
    cat >"$build.ini" <<END
[binaries]
exe_wrapper = ['qemu-aarch64', '/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1', '--library-path', '/usr/aarch64-linux-gnu/lib:$root/usr/lib/aarch64-linux-gnu:$root/lib/aarch64-linux-gnu']
[properties]
sys_root = '$root'
pkg_config_libdir = '$root/usr/lib/aarch64-linux-gnu/pkgconfig:$root/usr/share/pkgconfig'
END
    include="-isystem $root/usr/include -isystem $root/usr/include/aarch64-linux-gnu"
    libraries="-L$root/usr/lib/aarch64-linux-gnu"
    set -- --cross-file=packaging/linux/aarch64.ini --cross-file="$build.ini" "$@"
    ;;
*) echo "configure.sh: x64 or arm64, not $architecture" >&2 && exit 2 ;;
esac
meson setup "$build" "$@" --buildtype=release --prefix=/usr -Dprefer_static=true -Db_pie=true -Dportable=true \
    -Dc_args="-ffile-prefix-map=$map=. -fstack-protector-strong -D_FORTIFY_SOURCE=2 $include" \
    -Dc_link_args="-Wl,-z,relro,-z,now -Wl,--build-id=none $libraries"
