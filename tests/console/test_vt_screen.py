#!/usr/bin/env python3
"""What a Windows console with VT is sent, seen in a real terminal (tmux) beside what curses draws there.

usage: test_vt_screen.py PROGRAM VT_PROGRAM CASES

VT_PROGRAM is the program over vt_output.c and vt_input.c (vt_door.c). Both show the same recorded machine that stands still,
are walked through the same keys, and must look the same: every character, colour and attribute. Standard library only.
"""
import os, re, sys, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import tap, terminal
from tap import check, done, wait_for

PROGRAM, VT_PROGRAM, CASES = sys.argv[1:4]
RECORDED = {"GPUTASKMAN_SYSROOT": f"{CASES}/drm/amd-rdna3-private-client/frame0", "GPUTASKMAN_NVML": "/nonexistent",
            "GPUTASKMAN_SAMPLE_TIMES": ",".join(str(100 + n) for n in range(600)),
            "GPUTASKMAN_WALL_TIMES": ",".join(str(1767225600 + n) for n in range(600))}
# Keys, and what is seen when they have done their work.
WALK = [("Down", None), ("Up", None), ("?", "this help"), ("End", "unexplained"), ("Escape", None), ("S", "Sort by"), ("Escape", None),
        ("F2", "Setup"), ("Escape", None), ("Enter", "known by"), ("Escape", None), ("m", None), ("Escape", None), ("e", "Events"), ("Escape", None),
        ("/", "Search"), ("é", "Search: é"), ("BSpace", None), ("Escape", None)]


def pen_of(pen, numbers):
    """The pen after an SGR sequence: foreground, background, and the set of attributes."""
    foreground, background, attributes = pen
    numbers = [int(n or 0) for n in numbers.split(";")]
    while numbers:
        n = numbers.pop(0)
        if n == 0: foreground, background, attributes = 39, 49, frozenset()
        elif n in (38, 48):
            color = tuple(numbers[:2] if numbers[0] == 5 else numbers[:4])
            del numbers[:len(color)]
            if n == 38: foreground = color
            else: background = color
        elif 30 <= n <= 39 or 90 <= n <= 97: foreground = n
        elif 40 <= n <= 49 or 100 <= n <= 107: background = n
        else: attributes |= {n}
    return foreground, background, attributes


def picture(t):
    """What is seen, cell by cell: character, colours, attributes. Without what changes by the clock; a blank has a background alone."""
    lines, pen = [], (39, 49, frozenset())
    for line in t.tmux("capture-pane", "-p", "-e").split("\n")[:-1]:
        cells = []
        for sgr, character in re.findall(r"\x1b\[([0-9;]*)m|(.)", line):
            if character: cells.append((character, *(pen if character != " " else (39, pen[1], pen[2] & {7}))))
            else: pen = pen_of(pen, sgr)
        text = "".join(cell[0] for cell in cells)
        for m in re.finditer(r"\d\d:\d\d:\d\d|running [^·]*|-?\d+ s\b", text): cells[m.start():m.end()] = [("~", 0, 0, 0)] * (m.end() - m.start())
        # tmux leaves out blanks at the end of a line that were erased, not written.
        while cells and cells[-1][0] == " ": cells.pop()
        lines.append(cells)
    return lines


def same(terminals, seconds=6.0):
    """The two pictures once they are the same, or as they are after some seconds."""
    def look():
        pictures = [picture(t) for t in terminals]
        return pictures if pictures[0] == pictures[1] else None
    return wait_for(look, seconds) or [picture(t) for t in terminals]


def difference(pictures):
    for y, (a, b) in enumerate(zip(*pictures)):
        if a != b:
            x = next((n for n, pair in enumerate(zip(a, b)) if pair[0] != pair[1]), min(len(a), len(b)))
            return f"line {y} column {x}: curses {a[x:x + 3]} vt {b[x:x + 3]}\n# {''.join(c[0] for c in a)}\n# {''.join(c[0] for c in b)}"
    return "another number of lines"


def walk(depth, curses, *arguments, size=(120, 40)):
    both = [terminal.Terminal(PROGRAM, *size, *arguments, **(RECORDED | curses)),
            terminal.Terminal(VT_PROGRAM, *size, *arguments, **(RECORDED | {"TERM": "screen", "GPUTASKMAN_TEST_DEPTH": depth}))]
    for t in both: t.wait("llama-server")
    for t in both: t.keys("p")
    ok = all(t.wait("PAUSED") for t in both)
    pictures = same(both)
    check(f"{depth}: the first picture is the same", ok and pictures[0] == pictures[1] and any("".join(c[0] for c in line).count("llama-server") for line in pictures[1]), difference(pictures))
    seen, why = True, ""
    for key, words in WALK:
        for t in both: t.keys(key)
        time.sleep(0.15)  # an Escape is one once nothing follows
        if words and not all(t.wait(words) for t in both): seen, why = False, f"after {key}: no {words!r}\n# " + both[1].text().replace("\n", "\n# ")
        pictures = same(both)
        if pictures[0] != pictures[1]: seen, why = False, f"after {key}: {difference(pictures)}"
        if not seen: break
    check(f"{depth}: and so is every other on a walk through the keys", seen, why)
    for t in both: t.resize(80, 24)
    pictures = same(both)
    check(f"{depth}: and at 80x24", pictures[0] == pictures[1] and len(pictures[1]) == 24, difference(pictures))
    both[1].keys("q")
    check(f"{depth}: q leaves a clean terminal", both[1].wait("status=0") and both[1].is_clean() and both[1].tmux("display", "-p", "#{cursor_flag}").strip() == "1", both[1].text())
    for t in both: t.close()


def mouse():
    t = terminal.Terminal(VT_PROGRAM, 100, 30, **RECORDED)
    t.wait("llama-server")
    heading = next((n for n, line in enumerate(t.lines()) if re.search(r"\bPID\b.*\bNAME\b", line)), 0)
    column = t.lines()[heading].index("NAME") + 1
    for last in "Mm": t.type(f"\033[<0;{column};{heading + 1}{last}")
    check("a click on a heading sorts by it", t.wait("NAME[▴▾]"), t.text())
    t.keys("q")
    t.wait("status=0")
    t.close()


walk("16", {"TERM": "screen"})
walk("256", {"TERM": "screen-256color"})
walk("mono", {"TERM": "screen"}, "--no-color")
mouse()
done()
