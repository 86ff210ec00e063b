#!/bin/sh
# Prints which commit the sources in SOURCE_ROOT are (with --time: when it was made, in seconds since the epoch): their own
# repository's, or what `make dist` noted. usage: commit.sh [--time] SOURCE_ROOT
set -eu
what="name"
if [ "$1" = --time ]; then
    what="time"
    shift
fi
cd "$1"
if [ -f .commit ]; then
    sed -n "s/^$what //p" .commit
elif [ -e .git ]; then
    case $what in
    name) git describe --always --dirty --abbrev=12 '--exclude=*' ;;
    time) git log -1 --format=%ct ;;
    esac
else
    exit 1
fi
