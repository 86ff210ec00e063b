#!/usr/bin/env python3
"""Holds the code against src/rooms.txt: which room may include which, and what only a door may use.

usage: layering.py SOURCE_ROOT

Prints each offence as FILE:LINE: words. Python 3.8, standard library only.
"""
import os, re, sys

# Headers that name one system. Only files called *_door.c (and the headers of doors) may include them.
PLATFORM = re.compile(r"^(unistd|fcntl|poll|dirent|dlfcn|pthread|spawn|langinfo|termios|signal|windows|io|process|curses|ncurses.*|"
                      r"sys/.*|linux/.*|mach/.*|arpa/.*|netinet/.*)\.h$")
# signal.h is C11 itself; only cli.c uses it, to ignore SIGPIPE.
ALLOWED = {("cli/cli.c", "signal.h")}


def rooms_of(root):
    rooms = {}
    for line in open(os.path.join(root, "src", "rooms.txt"), encoding="utf-8"):
        if line.startswith("#") or not line.strip(): continue
        room, lower = line.split(":")
        rooms[room] = set(lower.split())
    return rooms


def is_door(folder, name):
    """A door, or the header that only belongs to a door beside it (x.h of x_door.c)."""
    stem, end = os.path.splitext(name)
    return stem.endswith("_door") or (end == ".h" and os.path.exists(os.path.join(folder, stem + "_door.c")) and stem.startswith("curses"))


def offences(root):
    rooms = rooms_of(root)
    top = os.path.join(root, "src")
    for folder, _, files in os.walk(top):
        for name in sorted(files):
            if not name.endswith((".c", ".h", ".def")): continue
            path = os.path.join(folder, name)
            place = os.path.relpath(path, top)
            room = place.split(os.sep)[0]
            if room != "main.c" and room not in rooms:
                yield f"src/{place}:1: there is no room '{room}' in rooms.txt"
                continue
            for number, line in enumerate(open(path, encoding="utf-8"), 1):
                local, system = re.match(r'\s*#\s*include\s+"([^"]+)"', line), re.match(r"\s*#\s*include\s+<([^>]+)>", line)
                if local:
                    target = local[1].split("/")[0]
                    if "/" not in local[1] or not os.path.exists(os.path.join(top, local[1])):
                        if not local[1].endswith(".inc"): yield f"src/{place}:{number}: includes are relative to src/: \"{local[1]}\""
                    elif room != "main.c" and target != room and target not in rooms[room]:
                        yield f"src/{place}:{number}: room '{room}' may not include '{target}'"
                    elif room == "main.c" and target != "cli": yield f"src/{place}:{number}: main.c joins nothing but cli"
                if system and PLATFORM.match(system[1]) and (place, system[1]) not in ALLOWED and not is_door(folder, name):
                    yield f"src/{place}:{number}: <{system[1]}> belongs into a file called *_door.c"
                if re.search(r"\bfork\s*\(", line) and not line.lstrip().startswith(("*", "/*", "//")): yield f"src/{place}:{number}: there is no fork here: posix_spawn"
                if re.search(r"#\s*if(def|ndef)?\b.*\b(_WIN32|__linux__|__APPLE__)", line) and not re.search(r"_door\.[ch]$", name):
                    yield f"src/{place}:{number}: a platform difference is a door, not an #if"


def table_in_architecture(root):
    """docs/architecture.md prints the table as it is."""
    want = open(os.path.join(root, "src", "rooms.txt"), encoding="utf-8").read().strip()
    path = os.path.join(root, "docs", "architecture.md")
    if not os.path.exists(path) or want not in open(path, encoding="utf-8").read():
        yield "docs/architecture.md:1: does not print src/rooms.txt as it is"


def circles(rooms):
    seen = []
    for room, lower in rooms.items():
        for other in lower:
            if other not in seen: yield f"src/rooms.txt:1: '{room}' includes '{other}', which does not stand above it"
        seen.append(room)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else "."
    found = [*offences(root), *table_in_architecture(root), *circles(rooms_of(root))]
    for line in found: print(line)
    print(f"{len(found)} offences")
    sys.exit(1 if found else 0)


if __name__ == "__main__": main()
