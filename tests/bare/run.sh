#!/bin/bash
# run.sh: the README's two commands where nothing is installed: a fresh Debian (debootstrap, with make alone) and the last commit of
# this checkout. Ends in make test's "N passed, N failed" line, make run being one more. Needs root and debootstrap; exit status 77
# without.
set -u

cd "$(dirname "$0")/../.." || exit 1
unavailable() {
    echo "bare root: $*"
    exit 77
}
[ "$(id -u)" = 0 ] || unavailable "needs root"
command -v debootstrap >/dev/null || apt-get install -y -qq --no-install-recommends debootstrap >/dev/null 2>&1 || unavailable "no debootstrap"

work=$(mktemp -d)
root=$work/root
clean_up() {
    for place in /dev/pts /dev /proc /sys ""; do umount -l "$root$place" 2>/dev/null; done
    mountpoint -q "$root/proc" || rm -rf --one-file-system "$work"
}
trap clean_up EXIT

# shellcheck source=/dev/null
. /etc/os-release
[ "${ID:-}" = debian ] || VERSION_CODENAME=bookworm
mirror=$(sed -nE 's/^(URIs: +|deb +(\[[^]]*\] +)?)(https?:[^ ]+).*/\3/p' /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null | head -1)
echo "bare root: Debian $VERSION_CODENAME"
# What apt needs to reach the mirror (certificates, settings) is this machine's.
debootstrap --variant=minbase --include=make "$VERSION_CODENAME" "$root" "${mirror:-http://deb.debian.org/debian}" >"$work/log" 2>&1 ||
    { tail -5 "$work/log" && unavailable "debootstrap fails"; }
rm -f "$root/etc/apt/sources.list"
for file in resolv.conf hosts apt/apt.conf.d apt/sources.list apt/sources.list.d; do
    [ ! -e "/etc/$file" ] || { mkdir -p "$root/etc/$(dirname "$file")" && cp -rL "/etc/$file" "$root/etc/$(dirname "$file")/"; }
done
# Beside the root's own, which its packages write anew.
[ ! -f /etc/ssl/certs/ca-certificates.crt ] || cp /etc/ssl/certs/ca-certificates.crt "$root/etc/these-certificates.crt"
[ ! -f ~/.npmrc ] || cp ~/.npmrc "$root/etc/these-npm-settings"
# Settings of this machine's own programs, which are not there.
grep -lE 'Post-Invoke|Pre-Invoke|Pre-Install-Pkgs' "$root"/etc/apt/apt.conf.d/* 2>/dev/null | xargs -r rm
# A mount point of its own: tests make mount namespaces in it.
if ! { mount --bind "$root" "$root" && mount -t proc proc "$root/proc" && mount -t sysfs -o ro sys "$root/sys" && mount --bind /dev "$root/dev" && mount --bind /dev/pts "$root/dev/pts"; }; then
    unavailable "nothing can be mounted here"
fi
git clone -q . "$root/gputaskman"

inside() {
    # shellcheck disable=SC2016
    env -i HOME=/root TERM=xterm NODE_EXTRA_CA_CERTS=/etc/these-certificates.crt NPM_CONFIG_USERCONFIG=/etc/these-npm-settings PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin http_proxy="${http_proxy:-}" \
        https_proxy="${https_proxy:-}" no_proxy="${no_proxy:-}" chroot "$root" /bin/sh -c 'cd /gputaskman && exec "$@"' sh "$@"
}
began=$SECONDS
# Without a terminal it prints one snapshot, or says that there is no GPU and offers the demo.
if inside make run </dev/null >"$work/run" 2>&1 && grep -qE 'No GPU was found: see the demo|GPU' "$work/run"; then
    ran=1
else
    ran=0
    tail -20 "$work/run"
fi
echo "bare root: make run took $((SECONDS - began)) s"
inside make test </dev/null 2>&1 | tee "$work/test"
line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$work/test" | tail -1)
[ -n "$line" ] || line="0 passed, 1 failed"
rest=${line#*failed} passed=${line%% *} failed=$(sed -E 's/.*passed, ([0-9]+) failed.*/\1/' <<<"$line")
echo "$((passed + ran)) passed, $((failed + 1 - ran)) failed$rest"
[ "$ran" = 1 ] && [ "$failed" = 0 ]
