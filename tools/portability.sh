#!/bin/sh
# portability.sh: compiles everything that is not a door of another system for 64-bit Windows, so that
# the portable half stays portable. Prints "N passed, N failed".
set -eu

compiler=${CROSS_CC:-x86_64-w64-mingw32-gcc}
out=build-portability
mkdir -p "$out/include"

# The cross compiler checks formats against the old C runtime, which knows no %zu; we use the compiler's own printf.
# Headers of portable libraries; nothing is linked.
for header in jansson.h jansson_config.h event.h evutil.h evhttp.h zstd.h zstd_errors.h; do
    found=$(find /usr/include -maxdepth 2 -name "$header" | head -1)
    [ -z "$found" ] || cp "$found" "$out/include/"
done
[ ! -d /usr/include/event2 ] || cp -r /usr/include/event2 "$out/include/"
config=$(find /usr/include -path '*/event2/event-config.h' | head -1)
[ -z "$config" ] || sed -e '/HAVE_SYS_\(QUEUE\|TIME\|TYPES\)_H/b' -e 's/^#define EVENT__HAVE_.*//' "$config" >"$out/include/event2/event-config.h"
# What the build writes.
echo '#define BUILD_COMMIT "unknown"' >"$out/include/build_commit.h"
printf '#define BUILD_TARGET "windows"\n#define BUILD_LIBRARIES ""\n' >"$out/include/build_facts.h"

passed=0 failed=0
for file in $(git ls-files 'src/*.c'); do
    case $file in
    */posix/* | */linux/*_door.c | */macos/*_door.c | src/screen/curses_*) continue ;;
    esac
    # shellcheck disable=SC2086
    if "$compiler" -std=gnu11 -O1 -Wall -Wextra -Werror -Wno-missing-field-initializers -Wno-format -Wno-format-extra-args \
        -D__USE_MINGW_ANSI_STDIO=1 -DGPUTASKMAN_VERSION='"0"' \
        -Isrc -I"$out/include" -c "$file" -o "$out/object.o"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed $file"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
