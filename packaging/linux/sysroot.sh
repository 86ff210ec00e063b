#!/bin/sh
# sysroot.sh DEBIAN_ARCHITECTURE FOLDER: unpacks the libraries that gputaskman links to, for another architecture, into FOLDER.
# Nothing is installed: packages of two architectures often exclude each other. Needs apt-get and dpkg-deb, no root.
set -eu

architecture=$1
mkdir -p "$2"
root=$(cd "$2" && pwd)
[ ! -f "$root/.complete" ] || exit 0
apt=$root/.apt
mkdir -p "$apt/lists/partial" "$apt/archives/partial"
: >"$apt/status"
get() {
    apt-get -qq -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o APT::Sandbox::User=root \
        -o Dir::State::lists="$apt/lists" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt" "$@"
}
get update
(cd "$apt/archives" && get download libncurses-dev libjansson-dev libzstd-dev libevent-dev libcmocka-dev libcmocka0)
for package in "$apt/archives"/*.deb; do dpkg-deb -x "$package" "$root"; done
rm -rf "$apt"
# What is linked in has no other form here; cmocka has no static one.
find "$root/usr/lib" -name '*.so' ! -name 'libcmocka*' -exec rm {} +
touch "$root/.complete"
