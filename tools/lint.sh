#!/bin/sh
# lint.sh: layout, warnings as errors (gcc and clang), shell scripts.
set -eu

sources=$(git ls-files 'src/*.[ch]' 'tests/unit/*.[ch]' 'tests/fuzz/*.[ch]' 'tests/e2e/*.[ch]' 'tools/*.[ch]')
failed=0

# The layout is that of clang-format 14 (Debian 12); other versions differ in small things.
case $(clang-format --version) in
*'version 14.'*)
    # shellcheck disable=SC2086
    clang-format --dry-run --Werror $sources || failed=1
    ;;
*) echo "lint: layout not checked: it needs clang-format 14" ;;
esac

for compiler in gcc clang; do
    build=build-lint-$compiler
    [ -f "$build/build.ninja" ] || CC=$compiler meson setup "$build" -Dwerror=true >/dev/null
    ninja -C "$build" >"$build/lint.log" 2>&1 || {
        cat "$build/lint.log"
        failed=1
    }
done

scripts=$(git ls-files '*.sh' .ci/run)
# shellcheck disable=SC2086
shellcheck $scripts || failed=1

[ "$failed" = 0 ] && echo "lint: clean"
exit "$failed"
