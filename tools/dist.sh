#!/bin/sh
# dist.sh [FOLDER [URL]]: the source archive gputaskman-VERSION.tar.gz of the last commit, its .sha256, and the recipes of
# packaging/ (Arch, Homebrew, RPM) filled in for it. URL: where the archive will be found; by default beside the recipes.
set -eu

mkdir -p "${1:-dist}"
output=$(cd "${1:-dist}" && pwd)
url=${2:-}
cd "$(dirname "$0")/.."
version=$(tools/version.sh)
name=gputaskman-$version
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
time=$(tools/commit.sh --time .)
# As it is committed, without what is only on this disk.
git archive --format=tar --prefix="$name/" HEAD | tar -C "$work" -x
{
    echo "name $(git describe --always --abbrev=12 '--exclude=*')"
    echo "time $time"
} >"$work/$name/.commit"
archive=$(tools/archive.sh "$work" "$name" "$time" "$output")
sum=$(cut -d' ' -f1 "$output/$name.tar.gz.sha256")
for recipe in arch/PKGBUILD homebrew/gputaskman.rb rpm/gputaskman.spec; do
    sed -e "s|@VERSION@|$version|g" -e "s|@SHA256@|$sum|g" -e "s|@URL@|${url:-$name.tar.gz}|g" "packaging/$recipe.in" >"$output/$(basename "$recipe")"
done
echo "$archive"
