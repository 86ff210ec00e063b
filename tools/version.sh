#!/bin/sh
# Prints the version, from the one place where it is written.
set -eu
sed -n "s/^  version: '\(.*\)',/\1/p" "$(dirname "$0")/../meson.build"
