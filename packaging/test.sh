#!/bin/bash
# test.sh: builds what is shipped and tries it as far as this machine can. Ends in "N passed, N failed[, N skipped]".
set -u

cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0
check() {
    local what=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed $what"
        tail -15 "$work/log"
    fi
}
skip() {
    echo "skipped $1: $2"
    skipped=$((skipped + 1))
}
has() { command -v "$1" >/dev/null; }

version=$(tools/version.sh)

# The changelog, and one version everywhere.
kept() { grep -qx '## \[Unreleased\]' CHANGELOG.md && ! grep -E '^### ' CHANGELOG.md | grep -vxE '### (Added|Changed|Deprecated|Removed|Fixed|Security)'; }
no_version_beside() { ! git grep -nF "$version" -- packaging flake.nix; }
check "the changelog has the form of Keep a Changelog" kept
check "the version is written once" no_version_beside

# The source archive: the same bytes twice, builds outside of git and knows its commit.
git clone -q . "$work/elsewhere"
check "make dist" tools/dist.sh "$work/first" "https://example.invalid/gputaskman-$version.tar.gz"
check "make dist elsewhere" "$work/elsewhere/tools/dist.sh" "$work/second" "https://example.invalid/gputaskman-$version.tar.gz"
check "two source archives, the same bytes" cmp "$work"/first/*.tar.gz "$work"/second/*.tar.gz
tar -C "$work" -xzf "$work/first/gputaskman-$version.tar.gz"
knows_commit() { [ "$("$work/gputaskman-$version/tools/commit.sh" "$work/gputaskman-$version")" = "$(git describe --always --abbrev=12 '--exclude=*')" ]; }
check "the source archive knows its commit" knows_commit
no_place_left() { ! grep -n '@[A-Z0-9]*@' "$work"/first/PKGBUILD "$work"/first/gputaskman.rb "$work"/first/gputaskman.spec; }
check "the recipes are filled in" no_place_left
check "PKGBUILD is a script" bash -n "$work/first/PKGBUILD"
if has ruby; then check "the Homebrew formula is Ruby" ruby -c "$work/first/gputaskman.rb"; else skip "the Homebrew formula" "no ruby"; fi
# As docs/installing.md says, up to where the libraries of that system are needed.
unpacked() { rpmbuild --nodeps -bp --define "_topdir $work/rpm" --define "_sourcedir $work/first" "$work/first/gputaskman.spec"; }
if has rpmbuild; then
    check "the RPM spec is read" rpmspec -P "$work/first/gputaskman.spec"
    check "and finds the archive beside it" unpacked
else
    skip "the RPM spec" "no rpmbuild"
fi
if has nix-instantiate; then
    flake() { nix-instantiate --eval --strict --json packaging/nix/evaluate.nix | jq -e --arg v "$version" '.["x86_64-linux"].version == $v and .["aarch64-linux"].checked'; }
    check "the flake evaluates" flake
else
    skip "the flake" "no nix"
fi
# Every folder that make install fills is told to the RPM spec, which names each file.
named_in_spec() {
    DESTDIR="$work/install" meson install -C "$work/build" --no-rebuild >/dev/null
    (cd "$work/install" && find . -type f -o -type l) | sed 's|.*/||; s|\.1$|.1*|' | sort -u | while read -r file; do
        grep -qF "/$file" "$work/first/gputaskman.spec" || { echo "$file is not in the spec"; exit 1; }
    done
}
built() { meson setup "$work/build" "$work/gputaskman-$version" --prefix=/usr --libdir=lib -Dtests=false --buildtype=release && ninja -C "$work/build"; }
check "the source archive builds" built
check "DESTDIR and prefix are honoured; the RPM spec names what is installed" named_in_spec
installed() { "$work/install/usr/bin/gtm" --version | grep -q "commit $(git describe --always --abbrev=12 '--exclude=*')"; }
check "what is installed runs and says its commit" installed
formula() {
    local words
    words=$(sed -n 's|.*assert_match "\(.*\)", shell_output("#{bin}/gtm --help").*|\1|p' "$work/first/gputaskman.rb")
    [ -n "$words" ] && "$work/install/usr/bin/gtm" --help | grep -qF "$words"
}
check "the formula's test finds what it looks for" formula
unit() {
    mkdir -p "$work/units"
    sed "s|=/usr/bin/|=$work/install/usr/bin/|" "$work/install/usr/lib/systemd/user/gputaskman-record.service" >"$work/units/gputaskman-record.service"
    grep -q "^ExecStart=$work/install/usr/bin/gputaskman record" "$work/units/gputaskman-record.service" || return 1
    ! has systemd-analyze || XDG_RUNTIME_DIR=$work systemd-analyze --user --man=no verify "$work/units/gputaskman-record.service"
}
check "the systemd unit" unit

# The Debian package. Its unit tests are those of make test.
if has dpkg-buildpackage && has dh; then
    processors=$(nproc)
    export DEB_BUILD_OPTIONS="nocheck parallel=$processors"
    check "the Debian packages build" packaging/debian/build.sh "$work/debian"
    if has lintian; then check "lintian has nothing to say" lintian --fail-on error,warning "$work"/debian/*.changes; else skip "lintian" "not here"; fi
    if [ "$(id -u)" = 0 ] && ! dpkg -s gputaskman >/dev/null 2>&1; then
        check "it installs" dpkg -i "$work"/debian/gputaskman_*.deb
        runs() { gputaskman --version && gtm --json | grep -q gputaskman/1; }
        check "it runs" runs
        check "it is removed" dpkg -P gputaskman
        gone() { [ ! -e /usr/bin/gputaskman ] && [ ! -e /usr/bin/gtm ] && [ ! -e /usr/share/doc/gputaskman ]; }
        check "nothing of it is left" gone
    else
        skip "installing the Debian package" "not root, or it is installed"
    fi
else
    skip "the Debian package" "no debhelper"
fi

# count FILE: adds the last line of what ran elsewhere; there is none when an archive can't be built.
count() {
    local line more
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$1" | tail -1)
    [ -n "$line" ] || line="0 passed, 1 failed"
    number() { sed -nE "s/.*\b([0-9]+) $1.*/\1/p" <<<"$line"; }
    passed=$((passed + $(number passed))) failed=$((failed + $(number failed)))
    more=$(number skipped)
    skipped=$((skipped + ${more:-0}))
}

# The portable archives.
architectures=x64
if has aarch64-linux-gnu-gcc && has qemu-aarch64; then architectures="x64 arm64"; else skip "the arm64 archive" "no cross compiler or no qemu-user"; fi
# shellcheck disable=SC2086
packaging/linux/test.sh $architectures | tee "$work/archives"
count "$work/archives"
if has zip && has unzip && has llvm-readobj-19; then
    packaging/windows/test.sh x64 arm64 | tee "$work/archives"
    count "$work/archives"
else
    skip "the archives for Windows" "no zip, unzip or llvm-19"
fi

echo "$passed passed, $failed failed$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ]
