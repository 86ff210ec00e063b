#!/bin/sh
# wine.sh PROGRAM [ARGUMENTS...]: runs a program for Windows under wine, without a screen, in a prefix of its own: WINEPREFIX, by
# default build-wine/ here, made on the first call.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
export WINEPREFIX="${WINEPREFIX:-$top/build-wine}" WINEDEBUG="${WINEDEBUG:--all}" WINEDLLOVERRIDES="${WINEDLLOVERRIDES:-mscoree,mshtml=;winemenubuilder.exe=d}"
unset DISPLAY WAYLAND_DISPLAY
wine=$(command -v wine64 || command -v wine || echo /usr/lib/wine/wine64)
if [ ! -f "$WINEPREFIX/.complete" ]; then
    (
        flock 9
        [ -f "$WINEPREFIX/.complete" ] || { "$wine" wineboot -i >/dev/null 2>&1 && touch "$WINEPREFIX/.complete"; }
    ) 9>"$WINEPREFIX.lock"
fi
exec "$wine" "$@"
