#!/bin/sh
# build.sh x64|arm64 [OUTPUT FOLDER]: the portable archive gputaskman-VERSION-linux-ARCHITECTURE.tar.gz and its .sha256.
# The same sources give the same bytes, in any folder.
set -eu

architecture=$1
mkdir -p "${2:-dist}"
output=$(cd "${2:-dist}" && pwd)
cd "$(dirname "$0")/../.."
case $architecture in
arm64) tools=aarch64-linux-gnu- ;;
*) tools="" ;;
esac

SOURCE_DATE_EPOCH=$(tools/commit.sh --time .)
export SOURCE_DATE_EPOCH
build=build-dist-$architecture
rm -rf "$build"
quietly() { "$@" >"$build.log" 2>&1 || { tail -30 "$build.log" >&2; exit 1; }; }
quietly packaging/linux/configure.sh "$architecture" "$build" -Dtests=false
quietly ninja -C "$build"

version=$(tools/version.sh)
name=gputaskman-$version-linux-$architecture
stage=$build/stage folder=$build/stage/$name
mkdir -p "$folder/completions" "$folder/licences"
"${tools}strip" -o "$folder/gputaskman" "$build/src/gputaskman"
ln -s gputaskman "$folder/gtm"
cp README.md CHANGELOG.md LICENSE "$folder/"
cp "$build/tools/gputaskman.1" "$folder/"
cp "$build/tools/gputaskman" "$folder/completions/gputaskman.bash"
cp "$build/tools/_gputaskman" "$build/tools/gputaskman.fish" "$folder/completions/"
for package in libncurses-dev libjansson-dev libzstd-dev libevent-dev; do
    cp "/usr/share/doc/$package/copyright" "$folder/licences/${package%-dev}.txt"
done
chmod -R u=rwX,go=rX "$folder"
tools/archive.sh "$stage" "$name" "$SOURCE_DATE_EPOCH" "$output"
