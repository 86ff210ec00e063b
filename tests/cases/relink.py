#!/usr/bin/env python3
"""Gives a recorded tree its symbolic links back.

usage: relink.py [TREE...]      without one: every recorded tree of this folder

A checkout without symbolic links holds each as a regular file with the link's target as its text and no
line end. Such files are recognised by their place (proc/PID/fd/N, proc/PID/ns/*, proc/PID/exe|cwd|root)
or, under sys/, by naming something that exists in the tree. Real links are left alone, so that running
it twice does nothing. Python 3.11, standard library only.
"""
import os, re, sys

LINK_PLACES = re.compile(r"(^|/)proc/(\d+|self)/(fd/\d+|ns/[a-z_]+|exe|cwd|root)$|(^|/)proc/self$")


def link_target(top, path):
    """The target this flattened link had, or None when it is an ordinary file."""
    if os.path.islink(path) or os.path.getsize(path) > 4096: return None
    with open(path, "rb") as f: data = f.read()
    if not data or b"\n" in data or b"\0" in data: return None
    try: text = data.decode()
    except UnicodeDecodeError: return None
    place = os.path.relpath(path, top)
    if LINK_PLACES.search(place): return text
    if "/sys/" in "/" + place and "/" in text and os.path.lexists(os.path.join(os.path.dirname(path), text)): return text
    return text if re.search(r"(^|/)sys/", place) and (text == ".." or text.startswith("../")) else None


def relink(top):
    found = []
    for folder, _, files in os.walk(top):
        for name in files:
            path = os.path.join(folder, name)
            target = link_target(top, path)
            if target is not None: found.append((path, target))
    for path, target in found:
        os.chmod(os.path.dirname(path), 0o755)
        os.remove(path)
        os.symlink(target, path)
    return len(found)


def trees(folder):
    return [top for top, folders, _ in os.walk(folder) if "proc" in folders or "sys" in folders]


if __name__ == "__main__":
    if sys.argv[1:2] in (["-h"], ["--help"]): sys.exit(__doc__)
    for top in sys.argv[1:] or trees(os.path.dirname(os.path.abspath(__file__))): print(f"{top}: {relink(top)} links")
