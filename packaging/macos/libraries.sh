#!/bin/sh
# libraries.sh arm64|x64 SOURCES ZIG PREFIX: builds jansson, libevent, zstd and ncurses (wide) as static libraries for macOS into PREFIX
# with that zig, and writes PREFIX/cc, the compiler for it. The screen needs ncurses 6.1 or newer (init_extended_pair); the one that
# macOS ships is older, so this is the same one that Homebrew's build links to.
set -eu

architecture=$1
sources=$(cd "$2" && pwd)
zig=$3
mkdir -p "$4"
prefix=$(cd "$4" && pwd)
[ ! -f "$prefix/.complete" ] || exit 0
case $architecture in
arm64) target=aarch64-macos.12.0 host=aarch64-apple-darwin linker_arch=arm64 ;;
x64) target=x86_64-macos.12.0 host=x86_64-apple-darwin linker_arch=x86_64 ;;
*) echo "libraries.sh: arm64 or x64, not $architecture" >&2 && exit 2 ;;
esac
work=$prefix/.work
rm -rf "$work"
mkdir -p "$prefix/include/event2" "$prefix/lib/pkgconfig" "$work"
processors=$(nproc)
flags="-O1 -w -ffile-prefix-map=$sources=."

# Meson asks for the linker's name and knows Apple's. Objects are linked by LLVM's linker where there is one: zig's own sometimes takes
# a reference for a second definition.
linker=""
for name in ld64.lld-19 ld64.lld ld64.lld-14; do
    if [ -z "$linker" ] && command -v "$name" >/dev/null; then linker=$name; fi
done
cat >"$prefix/cc" <<END
#!/bin/sh
case " \$* " in
*' -Wl,--version '*) echo 'ld: unknown option: --version' >&2 && exit 1 ;;
*' -Wl,-v '*) echo '@(#)PROGRAM:ld PROJECT:ld64-820' >&2 && exit 0 ;;
esac
linker=$linker
for word; do
    case \$word in
    *.c | *.S | -c | -E | -S | -v | -x | -d* | -print* | --version | --help) linker="" ;;
    esac
done
[ -n "\$linker" ] && [ \$# -gt 2 ] || exec "$zig" cc -target $target "\$@"
# What is for the compiler, and what libSystem has, is left out.
for word; do
    shift
    case \$word in
    -lm | -ldl | -lpthread | -pthread | -O* | -g* | -f* | -W[!l]* | -std=* | -D* | -I*) ;;
    -Wl,*) for part in \$(echo "\${word#-Wl,}" | tr , ' '); do set -- "\$@" "\$part"; done ;;
    *) set -- "\$@" "\$word" ;;
    esac
done
exec "\$linker" -arch $linker_arch -platform_version macos 12.0 15.1 "\$@" "$(dirname "$zig")/lib/libc/darwin/libSystem.tbd"
END
printf '#!/bin/sh\nexec "%s" ar "$@"\n' "$zig" >"$prefix/ar"
printf '#!/bin/sh\nexec "%s" ranlib "$@"\n' "$zig" >"$prefix/ranlib"
chmod +x "$prefix/cc" "$prefix/ar" "$prefix/ranlib"

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
        "$@" -c "$source" -o "$object"' sh "$work/$name" FILE "$prefix/cc" $flags $own
    "$prefix/ar" rcs "$prefix/lib/lib$name.a" "$work/$name"/*.o
}
# described NAME VERSION LIBRARIES...
described() {
    name=$1 version=$2
    shift 2
    cat >"$prefix/lib/pkgconfig/$name.pc" <<END
prefix=\${pcfiledir}/../..
Name: $name
Description: $name for $architecture macOS
Version: $version
Libs: -L\${prefix}/lib $*
Cflags: -I\${prefix}/include
END
}
quietly() { "$@" >"$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; }; }

cd "$sources/jansson/src"
sed -e 's/@json_inline@/inline/' -e 's/@json_have_long_long@/1/' -e 's/@json_have_localeconv@/1/' \
    -e 's/@json_have_atomic_builtins@/1/' -e 's/@json_have_sync_builtins@/1/' jansson_config.h.in >"$prefix/include/jansson_config.h"
cp jansson.h "$prefix/include/"
printf '#define %s\n' 'HAVE_STDINT_H 1' 'HAVE_FCNTL_H 1' 'HAVE_UNISTD_H 1' 'HAVE_LOCALE_H 1' 'HAVE_SETLOCALE 1' 'HAVE_SYS_STAT_H 1' \
    'HAVE_SYS_TYPES_H 1' 'HAVE_SYS_TIME_H 1' 'HAVE_STRTOLL 1' 'HAVE_LOCALECONV 1' 'HAVE_ATOMIC_BUILTINS 1' 'HAVE_SYNC_BUILTINS 1' \
    'USE_URANDOM 1' 'INITIAL_HASHTABLE_ORDER 3' >"$work/jansson_private_config.h"
archive jansson "-DHAVE_CONFIG_H -I$work -I$prefix/include" "$PWD"/*.c
described jansson 2.14 -ljansson

cd "$sources/libzstd/lib"
cp zstd.h zstd_errors.h "$prefix/include/"
archive zstd "-DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0 -DXXH_NAMESPACE=ZSTD_ -I. -Icommon" "$PWD"/common/*.c "$PWD"/compress/*.c "$PWD"/decompress/*.c
described libzstd 1.5.4 -lzstd

# These two ask the system what it has. Both processors have the same sizes and the same libc: they are asked once. Neither puts
# anything into its own folder.
configured=$prefix/../configured
if [ ! -f "$configured/.complete" ]; then
    rm -rf "$configured"
    mkdir -p "$configured/libevent" "$configured/ncurses"
    (cd "$configured/libevent" && quietly "$sources/libevent/configure" --build=x86_64-linux-gnu --host="$host" CC="$prefix/cc" AR="$prefix/ar" \
        RANLIB="$prefix/ranlib" --disable-openssl --disable-shared --disable-samples --disable-libevent-regress --disable-dependency-tracking)
    sed -f "$sources/libevent/make-event-config.sed" "$configured/libevent/config.h" >"$configured/libevent/event-config.h"
    # The old type of ospeed wants a header of the SDK's that the compiler does not bring along.
    (cd "$configured/ncurses" && quietly "$sources/ncurses/configure" --build=x86_64-linux-gnu --host="$host" --prefix=/usr/local --enable-widec \
        --without-shared --without-debug --without-ada --without-cxx --without-cxx-binding --without-progs --without-tests --without-manpages \
        --disable-db-install --disable-stripping --with-ospeed=unsigned --with-default-terminfo-dir=/usr/share/terminfo \
        --with-terminfo-dirs=/usr/local/share/terminfo:/opt/homebrew/share/terminfo:/usr/share/terminfo \
        CC="$prefix/cc" AR="$prefix/ar" RANLIB="$prefix/ranlib" BUILD_CC=cc CFLAGS="$flags")
    touch "$configured/.complete"
fi

cd "$sources/libevent"
cp include/*.h "$prefix/include/"
cp include/event2/*.h "$configured/libevent/event-config.h" "$prefix/include/event2/"
libevent="-DHAVE_CONFIG_H -I$configured/libevent -I$prefix/include -I. -Icompat"
set --
for name in buffer bufferevent bufferevent_filter bufferevent_pair bufferevent_ratelim bufferevent_sock event evmap evthread evutil \
    evutil_rand evutil_time listener log signal poll select kqueue; do
    set -- "$@" "$PWD/$name.c"
done
archive event_core "$libevent" "$@"
archive event_extra "$libevent" "$PWD/evdns.c" "$PWD/event_tagging.c" "$PWD/evrpc.c" "$PWD/http.c"
described libevent_core 2.1.12-stable -levent_core
described libevent_extra 2.1.12-stable -levent_extra -levent_core

cp -r "$configured/ncurses" "$work/ncurses"
cd "$work/ncurses"
for part in include ncurses; do
    quietly make -j "$processors" -C "$part" CC="$prefix/cc" AR="$prefix/ar" RANLIB="$prefix/ranlib"
done
cp include/curses.h include/term.h include/unctrl.h include/ncurses_dll.h "$prefix/include/"
cp lib/libncursesw.a "$prefix/lib/"
described ncursesw 6.4 -lncursesw

rm -rf "$work"
touch "$prefix/.complete"
