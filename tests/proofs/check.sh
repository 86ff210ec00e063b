#!/bin/sh
# check.sh SOURCES COMPILER...: what must not compile does not, and the compiler says it for the
# right reason: on the line that mixes the two types, and for nothing else.
set -eu

sources=$1
shift
compiler=$*
here=$(cd "$(dirname "$0")" && pwd)
failed=0

compile() {
    # The compiler may be several words (ccache cc).
    # shellcheck disable=SC2086
    LC_ALL=C $compiler -std=gnu11 -D_GNU_SOURCE -fsyntax-only -I "$sources" "$here/$1" 2>&1
}

# refused FILE LINE TEXT: FILE gives exactly one error, on that line, and it holds TEXT.
refused() {
    if output=$(compile "$1"); then
        echo "$1 compiles, but must not"
        failed=1
        return
    fi
    errors=$(printf '%s\n' "$output" | grep -F "error:")
    case $errors in
    *"$1:$2:"*"$3"*) [ "$(printf '%s\n' "$errors" | wc -l)" -eq 1 ] && return ;;
    esac
    echo "$1 is refused, but not only for '$3' on line $2:"
    printf '%s\n' "$output"
    failed=1
}

if ! output=$(compile control.c); then
    echo "control.c does not compile, but must:"
    printf '%s\n' "$output"
    failed=1
fi
refused figure_in_total.c 10 "incompatible type"
refused raw_text_in_snapshot.c 8 "incompatible type"
[ "$failed" -eq 0 ] && echo "a figure in a total and a raw text in a snapshot do not compile"
exit "$failed"
