#!/bin/sh
# setup.sh build|test|lint|fuzz|portability|packages: installs what is missing for it. Does nothing, and needs no
# network, when all is there. Asks for sudo only if something must be installed.
set -eu

purpose=${1:-build}
missing=""

# want DEBIAN_PACKAGE CHECK...: the package is missing unless the check succeeds.
want() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}
has() { command -v "$1"; }
has_brewed() { test -d "$(brew --prefix "$1" 2>/dev/null)"; }
has_library() { pkg-config --exists "$1"; }
has_wine() { test -e /usr/lib/wine/wine64 || has wine64; }
has_fuzzer() { echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | clang -x c -fsanitize=fuzzer,address -o /dev/null -; }

# On a Mac: Apple's compiler, and Homebrew's names. Nothing is installed without being asked for.
if [ "$(uname -s)" = Darwin ]; then
    [ "$purpose" = build ] || { echo "setup: the tests and checks run on Linux; on a Mac: make, make run, make install" >&2 && exit 1; }
    has cc >/dev/null 2>&1 || { echo "setup: there is no compiler: xcode-select --install" >&2 && exit 1; }
    has brew >/dev/null 2>&1 || { echo "setup: the libraries come from Homebrew: https://brew.sh" >&2 && exit 1; }
    want meson has meson
    want ninja has ninja
    want pkgconf has pkg-config
    for library in jansson libevent ncurses zstd; do want "$library" has_brewed "$library"; done
    [ -n "$missing" ] || exit 0
    echo "setup: missing; install with: brew install$missing" >&2
    exit 1
fi

want gcc has cc
want libc6-dev test -e /usr/include/stdio.h
want meson has meson
want ninja-build has ninja
want pkg-config has pkg-config
want python3 has python3
want libncurses-dev has_library ncursesw
want libjansson-dev has_library jansson
want libevent-dev has_library libevent_core
want libzstd-dev has_library libzstd
if [ "$purpose" != build ]; then
    want libcmocka-dev has_library cmocka
    want tmux has tmux
    want strace has strace
    want procps has ps
    want util-linux has unshare
fi
if [ "$purpose" = test ]; then
    want nodejs has node
    want npm has npm
    want jq has jq
    # What checks the manual page, the completions, memory, the script for Windows and recordings of other programs.
    want groff has groff
    want mandoc has mandoc
    want zsh has zsh
    want fish has fish
    want valgrind has valgrind
    want mono-mcs has mcs
    want mono-runtime has mono
    want zstd has zstd
fi
if [ "$purpose" = lint ] || [ "$purpose" = portability ]; then
    want git has git
fi
if [ "$purpose" = lint ]; then
    want clang has clang
    want clang-format has clang-format
    want clang-tidy has clang-tidy
    want shellcheck has shellcheck
fi
if [ "$purpose" = fuzz ]; then
    want clang has clang
    want libclang-rt-dev has_fuzzer
fi
if [ "$purpose" = packages ]; then
    want git has git
    want jq has jq
    want debhelper has dh
    want dpkg-dev has dpkg-buildpackage
    want fakeroot has fakeroot
    want lintian has lintian
    want gcc-aarch64-linux-gnu has aarch64-linux-gnu-gcc
    want libc6-dev-arm64-cross test -e /usr/aarch64-linux-gnu/include/stdio.h
    want qemu-user has qemu-aarch64
    want rpm has rpmbuild
    want ruby has ruby
    want nix-bin has nix-instantiate
    want bsdutils has script
fi
if [ "$purpose" = portability ] || [ "$purpose" = packages ]; then
    # What builds for Windows, and runs that.
    want gcc-mingw-w64-x86-64-win32 has x86_64-w64-mingw32-gcc-win32
    want clang-19 has clang-19
    want lld-19 test -e /usr/lib/llvm-19/bin/ld.lld
    want llvm-19 has llvm-readobj-19
    want wine64 has_wine
    want wine has wine
    want make has make
    want patch has patch
    want xz-utils has xz
    want bzip2 has bzip2
    want zip has zip
    want unzip has unzip
    want jq has jq
fi
if [ "$purpose" = portability ]; then
    # What builds for macOS.
    want npm has npm
    want openssl has openssl
    want python3 has python3
fi

[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    cat >&2 <<END
setup: missing (Debian names):$missing
Install them with this system's package manager and try again:
  Fedora   dnf install gcc meson ninja-build pkgconf python3 ncurses-devel jansson-devel libevent-devel libzstd-devel libcmocka-devel tmux strace nodejs npm
  Arch     pacman -S gcc meson ninja pkgconf python ncurses jansson libevent zstd cmocka tmux strace nodejs npm
  openSUSE zypper install gcc meson ninja pkgconf python3 ncurses-devel libjansson-devel libevent-devel libzstd-devel libcmocka-devel tmux strace nodejs npm
  Alpine   apk add build-base meson ninja pkgconf python3 ncurses-dev jansson-dev libevent-dev zstd-dev cmocka-dev tmux strace nodejs npm
END
    exit 1
fi

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo "$@"
    else
        echo "setup: run as root: $*" >&2
        exit 1
    fi
}

echo "setup: installing$missing"
export DEBIAN_FRONTEND=noninteractive
as_root apt-get update -qq
# Ubuntu's clang brings the fuzzer's library along; Debian's has a package of its own for it.
# An older one has none of these; what needs them is skipped there.
for package in libclang-rt-dev clang-19 lld-19 llvm-19 gcc-mingw-w64-x86-64-win32 wine64 wine; do
    apt-cache show "$package" >/dev/null 2>&1 || missing=$(echo "$missing" | sed "s/ $package\( \|$\)/\1/")
done
# The list is of words on purpose.
# shellcheck disable=SC2086
as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
