#!/bin/sh
# fuzz.sh SECONDS [TARGET...]: runs every fuzz target (or the named ones) for that long each. New inputs stay in
# build-fuzz/corpus; what is worth keeping is added to tests/fuzz/corpus by hand.
set -eu

seconds=$1
shift
build="build-fuzz"
[ -f "$build/build.ninja" ] || CC=clang meson setup "$build" -Dfuzz=true -Db_lundef=false \
    -Db_sanitize=address,undefined -Dc_args=-fsanitize=fuzzer-no-link >/dev/null
ninja -C "$build" >/dev/null

failed=0
for target in "$build"/tests/fuzz/fuzz_*; do
    if [ ! -f "$target" ] || [ ! -x "$target" ]; then continue; fi
    name=${target##*/fuzz_}
    if [ $# -gt 0 ]; then
        case " $* " in *" $name "*) ;; *) continue ;; esac
    fi
    mkdir -p "$build/corpus/$name"
    echo "fuzz: $name, $seconds s"
    if ! "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -artifact_prefix="$build/$name-" \
        "$build/corpus/$name" "tests/fuzz/corpus/$name" >"$build/$name.log" 2>&1; then
        tail -40 "$build/$name.log"
        failed=1
    fi
done
exit "$failed"
