#!/bin/sh
# check.sh MODULES SCRIPT SCHEMA FILE...: runs a script of this folder with the validator, which is
# installed into the folder MODULES (of a build) when it is not there yet. Exit status 77 (skipped)
# where there is no Node.js, or no registry to install from.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
modules=$1
script=$2
shift 2

if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
    echo "skipped: the schema check needs node and npm" >&2
    exit 77
fi

mkdir -p "$modules"
modules=$(cd "$modules" && pwd)
install_validator() {
    cp "$here/package.json" "$here/package-lock.json" "$modules/"
    (cd "$modules" && npm ci --ignore-scripts --no-audit --no-fund --silent) && touch "$modules/installed"
}
# A registry that did not answer is not asked again by every test of a run.
has_just_failed() { [ -n "$(find "$modules/refused" -mmin -10 2>/dev/null)" ]; }
# One at a time: tests run side by side.
tries=0
until [ -e "$modules/installed" ] && cmp -s "$here/package-lock.json" "$modules/package-lock.json"; do
    if has_just_failed; then
        echo "skipped: the validator could not be installed a while ago" >&2
        exit 77
    fi
    if mkdir "$modules/lock" 2>/dev/null; then
        trap 'rmdir "$modules/lock"' EXIT
        rm -f "$modules/installed"
        if ! install_validator; then
            touch "$modules/refused"
            echo "skipped: the validator could not be installed" >&2
            exit 77
        fi
        rmdir "$modules/lock"
        trap - EXIT
    elif [ "$tries" -ge 300 ]; then
        echo "another installation does not end: remove $modules/lock" >&2
        exit 1
    else
        tries=$((tries + 1))
        sleep 1
    fi
done

exec node "$here/$script" "$modules" "$@"
