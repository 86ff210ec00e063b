#!/bin/sh
# build.sh x64|arm64 [OUTPUT FOLDER]: gputaskman-VERSION-windows-ARCHITECTURE.zip and its .sha256: one folder that needs nothing but
# Windows. The same sources give the same bytes, in any folder. WINDOWS_BUILD names a folder that configure.sh has set up, so that
# not all is compiled again. Exit status 77 and why: it can't be made on this system.
set -eu

architecture=$1
mkdir -p "${2:-dist}"
output=$(cd "${2:-dist}" && pwd)
cd "$(dirname "$0")/../.."
cache=${WINDOWS_CACHE:-build-windows}
case $architecture in
x64) strip=x86_64-w64-mingw32-strip ;;
*) strip=llvm-strip-19 ;;
esac

SOURCE_DATE_EPOCH=$(tools/commit.sh --time .)
export SOURCE_DATE_EPOCH
build=${WINDOWS_BUILD:-build-dist-windows-$architecture}
[ -n "${WINDOWS_BUILD:-}" ] || rm -rf "$build"
quietly() {
    status=0
    "$@" >"$build.log" 2>&1 || status=$?
    [ "$status" = 0 ] || { tail -30 "$build.log" >&2 && exit "$status"; }
}
[ -f "$build/build.ninja" ] || quietly packaging/windows/configure.sh "$architecture" "$build" -Dtests=false
quietly ninja -C "$build" src/gputaskman.exe

version=$(tools/version.sh)
name=gputaskman-$version-windows-$architecture
stage=$build/stage folder=$build/stage/$name
rm -rf "$stage"
mkdir -p "$folder/licences"
"$strip" -o "$folder/gputaskman.exe" "$build/src/gputaskman.exe"
# Windows has no links without an administrator.
cp "$folder/gputaskman.exe" "$folder/gtm.exe"
for file in README.md CHANGELOG.md; do cp "$file" "$folder/"; done
cp LICENSE "$folder/LICENSE.txt"
mkdir "$folder/docs"
cp docs/*.md "$folder/docs/"
for library in jansson libevent libzstd mingw-w64; do cp "$cache/sources/$library/debian-patches/debian/copyright" "$folder/licences/$library.txt"; done
[ "$architecture" != x64 ] || cp /usr/share/doc/gcc-mingw-w64-base/copyright "$folder/licences/gcc.txt"
grep -v '^cmocka ' "$cache/sources/versions" >"$folder/licences/versions.txt"
chmod -R u=rwX,go=rX "$folder"
tools/archive.sh "$stage" "$name" "$SOURCE_DATE_EPOCH" "$output" zip
