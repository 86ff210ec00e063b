#!/bin/sh
# configure.sh x64|arm64 BUILD_FOLDER [MESON OPTIONS...]: sets up a build for Windows: all libraries linked in, so that nothing but
# Windows is needed. What it needs itself (sources, compiler, libraries) is made first, once, in build-windows/, or in the folder that
# WINDOWS_CACHE names. Exit status 77 and why: it can't be made on this system.
set -eu

architecture=$1 build=$2
shift 2
cd "$(dirname "$0")/../.."
map=$PWD
cache=${WINDOWS_CACHE:-build-windows}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
packaging/windows/sources.sh "$cache/sources"
packaging/windows/toolchain.sh "$architecture" "$cache/sources" "$cache/tools-$architecture"
packaging/windows/libraries.sh "$architecture" "$cache/sources" "$cache/tools-$architecture/names" "$cache/$architecture"
# shellcheck source=/dev/null
. "$cache/tools-$architecture/names"
wrapper=""
[ "$architecture" != x64 ] || wrapper="exe_wrapper = ['$map/packaging/windows/wine.sh']"
words() { echo "'$1'" | sed "s/ /', '/g"; }
cat >"$build.ini" <<END
[binaries]
c = [$(words "$CC")]
$wrapper
[properties]
pkg_config_libdir = '$cache/$architecture/lib/pkgconfig'
END
meson setup "$build" "$@" --cross-file="packaging/windows/$architecture.ini" --cross-file="$build.ini" \
    --buildtype=release --prefix=/ -Dprefer_static=true \
    -Dc_args="-D_WIN32_WINNT=0x0A00 -D__USE_MINGW_ANSI_STDIO=1 -ffile-prefix-map=$map=. -fno-ident $HARDENING $WARNINGS" \
    -Dc_link_args="-static $LINKING"
