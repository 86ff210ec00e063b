#!/bin/sh
# Prints terminal descriptions of this machine as members of a C array, for builds that carry them. usage: terminfo.sh TYPE...
set -eu
for type; do
    description=$(infocmp -Q2 "$type" | grep -v '^#' | tr -d '\n')
    printf '{"%s",\n "%s"},\n' "$type" "$description"
done
