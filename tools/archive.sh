#!/bin/sh
# archive.sh FOLDER NAME SECONDS OUTPUT [zip]: FOLDER/NAME as OUTPUT/NAME.tar.gz (or .zip), and its .sha256 beside it. The same content
# and time (seconds since the epoch) give the same bytes. Prints the archive's path.
set -eu
case ${5:-tar.gz} in
zip)
    # Zip has local times, of even seconds, since 1980.
    archive=$2.zip
    rm -f "$4/$archive"
    find "$1/$2" -exec touch -h -d "@$3" {} +
    (cd "$1" && find "$2" | LC_ALL=C sort | TZ=UTC0 zip -q -X -9 -@ "$4/$archive")
    ;;
*)
    archive=$2.tar.gz
    tar -C "$1" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$3" --format=gnu -cf "$4/$2.tar" "$2"
    gzip -9nf "$4/$2.tar"
    ;;
esac
(cd "$4" && sha256sum "$archive" >"$archive.sha256")
echo "$4/$archive"
