#!/bin/sh
# archive.sh FOLDER NAME SECONDS OUTPUT: FOLDER/NAME as OUTPUT/NAME.tar.gz, and its .sha256 beside it. The same content and time
# (seconds since the epoch) give the same bytes. Prints the archive's path.
set -eu
tar -C "$1" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$3" --format=gnu -cf "$4/$2.tar" "$2"
gzip -9nf "$4/$2.tar"
(cd "$4" && sha256sum "$2.tar.gz" >"$2.tar.gz.sha256")
echo "$4/$2.tar.gz"
