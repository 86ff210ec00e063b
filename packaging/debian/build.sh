#!/bin/sh
# build.sh [FOLDER]: the Debian source and binary packages of the last commit. Needs build-essential, debhelper, meson and the -dev
# packages of tools/setup.sh; DEB_BUILD_OPTIONS=nocheck leaves the unit tests out.
set -eu

mkdir -p "${1:-dist}"
output=$(cd "${1:-dist}" && pwd)
cd "$(dirname "$0")/../.."
version=$(tools/version.sh)
maintainer=$(sed -n 's/^Maintainer: //p' packaging/debian/control)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
archive=$(tools/dist.sh "$work" | tail -1)
cp "$archive" "$work/gputaskman_$version.orig.tar.gz"
tar -C "$work" -xzf "$archive"
source=$work/gputaskman-$version
cp -r packaging/debian "$source/debian"
rm "$source/debian/build.sh"
cat >"$source/debian/changelog" <<END
gputaskman ($version-1) unstable; urgency=medium

  * What is new: see CHANGELOG.md (usr/share/doc/gputaskman/changelog.gz).

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$(tools/commit.sh --time .)")
END
(cd "$source" && dpkg-buildpackage -us -uc)
cp "$work"/gputaskman_* "$work"/gputaskman-dbgsym_* "$output/" 2>/dev/null || cp "$work"/gputaskman_* "$output/"
