#!/bin/sh
# libraries.sh x64|arm64 SOURCES TOOLS PREFIX: builds jansson, libevent, zstd and cmocka as static libraries into PREFIX, with the
# compiler that TOOLS (toolchain.sh) names. Their files are compiled directly, with the settings their authors give for Windows:
# seconds, where four configure scripts take minutes.
set -eu

architecture=$1
sources=$(cd "$2" && pwd)
# shellcheck source=/dev/null
. "$3"
mkdir -p "$4"
prefix=$(cd "$4" && pwd)
[ ! -f "$prefix/.complete" ] || exit 0
work=$prefix/.work
rm -rf "$work"
mkdir -p "$prefix/include" "$prefix/lib/pkgconfig" "$work"
processors=$(nproc)
flags="-O2 -ffile-prefix-map=$sources=. -D_WIN32_WINNT=0x0A00 -D__USE_MINGW_ANSI_STDIO=1 -fno-ident $HARDENING"

# archive NAME FLAGS FILE...: libNAME.a
archive() {
    name=$1 own=$2
    shift 2
    mkdir -p "$work/$name"
    # The flags are words on purpose.
    # shellcheck disable=SC2016,SC2086
    printf '%s\n' "$@" | xargs -P "$processors" -I FILE sh -c '
        object=$1/$(basename "$2" .c).o source=$2
        shift 2
        "$@" -c "$source" -o "$object"' sh "$work/$name" FILE $CC $flags $own
    # In the order of their names, without times: the same bytes each time.
    # shellcheck disable=SC2086
    $AR rcsD "$prefix/lib/lib$name.a" "$work/$name"/*.o
}
# described NAME VERSION LIBRARIES...
described() {
    name=$1 version=$2
    shift 2
    cat >"$prefix/lib/pkgconfig/$name.pc" <<END
prefix=\${pcfiledir}/../..
Name: $name
Description: $name for $architecture
Version: $version
Libs: -L\${prefix}/lib $*
Cflags: -I\${prefix}/include
END
}

cd "$sources/jansson/src"
sed -e 's/@json_inline@/inline/' -e 's/@json_have_long_long@/1/' -e 's/@json_have_localeconv@/1/' \
    -e 's/@json_have_atomic_builtins@/1/' -e 's/@json_have_sync_builtins@/1/' jansson_config.h.in >"$prefix/include/jansson_config.h"
cp jansson.h "$prefix/include/"
printf '#define %s\n' 'HAVE_STDINT_H 1' 'HAVE_FCNTL_H 1' 'HAVE_LOCALE_H 1' 'HAVE_SETLOCALE 1' 'HAVE_SYS_STAT_H 1' 'HAVE_SYS_TYPES_H 1' \
    'HAVE_STRTOLL 1' 'HAVE_LOCALECONV 1' 'HAVE_ATOMIC_BUILTINS 1' 'USE_WINDOWS_CRYPTOAPI 1' 'INITIAL_HASHTABLE_ORDER 3' >"$work/jansson_private_config.h"
archive jansson "-DHAVE_CONFIG_H -I$work -I$prefix/include" "$PWD"/*.c
described jansson 2.14 -ljansson

cd "$sources/libevent"
mkdir -p "$prefix/include/event2"
cp include/*.h "$prefix/include/"
cp include/event2/*.h "$prefix/include/event2/"
# Theirs is for Microsoft's compiler, with what that lacks in comments.
sed 's|^/\* \(#define EVENT__HAVE_[A-Z0-9_]* 1\) \*/|\1|' WIN32-Code/nmake/event2/event-config.h >"$prefix/include/event2/event-config.h"
libevent="-DHAVE_CONFIG_H -DEVENT__HAVE_STRTOK_R=1 -I$prefix/include -IWIN32-Code/nmake -IWIN32-Code -Iinclude -Icompat -I. -w"
# Only a server on this machine is ever asked, so no address has a zone. Without this, IPHLPAPI.DLL would be loaded before main, and
# from the program's own folder if one lies there: it is none of the libraries that Windows always takes from its own.
libevent="$libevent -Dif_nametoindex=no_zone_to_index"
cat >"$work/no_zone.c" <<END
unsigned long no_zone_to_index(const char *name);
unsigned long no_zone_to_index(const char *name) { (void)name; return 0; }
END
set -- "$work/no_zone.c"
for name in event buffer bufferevent bufferevent_sock bufferevent_pair listener evmap log evutil strlcpy signal bufferevent_filter evthread \
    bufferevent_ratelim evutil_rand evutil_time win32select evthread_win32 buffer_iocp event_iocp bufferevent_async; do
    set -- "$@" "$PWD/$name.c"
done
archive event_core "$libevent" "$@"
archive event_extra "$libevent" "$PWD/event_tagging.c" "$PWD/http.c" "$PWD/evdns.c" "$PWD/evrpc.c"
described libevent_core 2.1.12-stable -levent_core -lws2_32 -ladvapi32
described libevent_extra 2.1.12-stable -levent_extra -levent_core -lws2_32 -ladvapi32

cd "$sources/libzstd/lib"
cp zstd.h zstd_errors.h "$prefix/include/"
archive zstd "-DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0 -DXXH_NAMESPACE=ZSTD_ -I. -Icommon" "$PWD"/common/*.c "$PWD"/compress/*.c "$PWD"/decompress/*.c
described libzstd 1.5.4 -lzstd

cd "$sources/cmocka"
cp include/*.h "$prefix/include/"
printf '#define %s\n' 'HAVE_ASSERT_H 1' 'HAVE_INTTYPES_H 1' 'HAVE_IO_H 1' 'HAVE_MALLOC_H 1' 'HAVE_MEMORY_H 1' 'HAVE_SETJMP_H 1' 'HAVE_SIGNAL_H 1' \
    'HAVE_STDARG_H 1' 'HAVE_STDDEF_H 1' 'HAVE_STDINT_H 1' 'HAVE_STDIO_H 1' 'HAVE_STDLIB_H 1' 'HAVE_STRINGS_H 1' 'HAVE_STRING_H 1' \
    'HAVE_SYS_STAT_H 1' 'HAVE_SYS_TYPES_H 1' 'HAVE_TIME_H 1' 'HAVE_UNISTD_H 1' 'HAVE_SNPRINTF 1' 'HAVE_VSNPRINTF 1' \
    'HAVE_STRUCT_TIMESPEC 1' 'HAVE_GCC_THREAD_LOCAL_STORAGE 1' 'WORDS_SIZEOF_VOID_P 8' >"$work/config.h"
archive cmocka "-DHAVE_CONFIG_H -DCMOCKA_STATIC -I$work -Iinclude -w" "$PWD/src/cmocka.c"
described cmocka 1.1.5 -lcmocka
sed -i 's/^Cflags:.*/& -DCMOCKA_STATIC/' "$prefix/lib/pkgconfig/cmocka.pc"

rm -rf "$work"
touch "$prefix/.complete"
