#!/bin/sh
# sources.sh FOLDER [PINS]: the sources that PINS (sources.txt here) names, fetched with apt, checked, unpacked and patched, each in FOLDER/NAME. Nothing is
# installed, and no root is needed. Where apt has no pinned version (another Debian, Ubuntu), exit status 77 and why.
set -eu

pins=$(realpath "${2:-$(dirname "$0")/sources.txt}")
mkdir -p "$1"
folder=$(cd "$1" && pwd)
[ ! -f "$folder/.complete" ] || exit 0
command -v apt-get >/dev/null 2>&1 || { echo "sources.sh: the libraries' sources come from Debian's archive, and there is no apt-get" && exit 77; }
apt=$folder/.apt
mkdir -p "$apt/lists/partial" "$apt/lists.d"

# The system's own archives, asked for sources.
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -f "$file" ] || grep -E '^deb ' "$file" | sed 's/^deb /deb-src /' >>"$apt/lists.d/system.list" || true
done
for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -f "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/lists.d/$(basename "$file")"
done
get() {
    apt-get -qq -o APT::Sandbox::User=root -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$apt/lists.d" \
        -o Dir::State::lists="$apt/lists" "$@"
}
summed() { echo "$2  $1" | sha256sum -c --quiet >/dev/null 2>&1; }

# fetch NAME ARCHIVE SUM: the newest of Debian's revisions that has this archive. One that its own index names may be gone.
fetch() {
    revisions=$(get --print-uris --only-source --download-only source "$1" 2>/dev/null | sed -n "s/^'.*\/$1_\([^ ]*\)\.dsc'.*/\1/p" | sed 's/%2b/+/g')
    more=$(apt-cache -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$apt/lists.d" -o Dir::State::lists="$apt/lists" showsrc --only-source "$1" 2>/dev/null |
        sed -n 's/^Version: //p' | sort -rVu)
    for revision in $revisions $more; do
        if get --only-source --download-only source "$1=$revision" 2>/dev/null && summed "$2" "$3"; then
            echo "$1 $revision" >>versions
            return 0
        fi
    done
    return 1
}

cd "$folder"
: >versions
get update
while read -r name version archive sum; do
    case $name in '' | '#'*) continue ;; esac
    fetch "$name" "$archive" "$sum" || { echo "sources.sh: this system's archive has no $name $version with the pinned content" && exit 77; }
    rm -rf "$name"
    mkdir "$name"
    tar -C "$name" --strip-components=1 --no-same-owner -xf "$archive"
    patches=$(echo "$name"_*.debian.tar.*)
    mkdir "$name/debian-patches"
    tar -C "$name/debian-patches" -xf "$patches" debian/patches debian/copyright
    # In the order of the series, which is that of their names' lines.
    sed -n '/^CVE-/p' "$name/debian-patches/debian/patches/series" | while read -r patch _; do
        patch -s -d "$name" -p1 <"$name/debian-patches/debian/patches/$patch"
    done
done <"$pins"
rm -rf "$apt" ./*.asc
touch .complete
