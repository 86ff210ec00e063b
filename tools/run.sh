#!/bin/sh
# run.sh PROGRAM: starts the live screen; without a GPU offers the demo, without a terminal prints one snapshot.
set -eu

program=$1
status=0
if [ -t 0 ] && [ -t 1 ]; then
    "$program" || status=$?
else
    "$program" --once || status=$?
fi
if [ "$status" = 3 ] && [ -t 0 ] && [ -t 1 ]; then
    printf 'No GPU was found. Look at the demo, a recorded machine, instead? [Y/n] '
    read -r answer || answer=n
    case $answer in
    n* | N*) ;;
    *) exec "$program" --demo ;;
    esac
elif [ "$status" = 3 ]; then
    echo "No GPU was found: see the demo with '$program --demo'."
    exit 0
fi
exit "$status"
