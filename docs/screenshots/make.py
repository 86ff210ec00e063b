#!/usr/bin/env python3
"""Makes the pictures of this folder, as SVG and as text, with the real program on recorded machines (tests/cases).

usage: make.py PROGRAM FAKE_NVML [NAME...]

No picture shows a path or a command line: the inspector's line with the command is left out, and anything that still looks
like a path ends the script. Needs tmux. Python 3.11, standard library only.
"""
import os, re, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
import screens, screenshot, terminal

# name: machine (None: the built-in recording), width, height, keys, arguments
PICTURES = {
    "demo": (None, 120, 40, [], ["--demo"]),
    "compositor": ("intel", 110, 18, ["Down"], []),
    "unified": ("apu", 110, 18, [], []),
    "spill": ("video", 110, 18, ["S", "Down", "Down", "Enter"], []),
    "help": ("intel", 110, 40, ["?", "NPage"], []),
}
COMMAND = re.compile(r"^\s*command\b")
PATH = re.compile(r"(?<![\w/])(/[\w.@+-]+){2,}")


def plain(line): return re.sub(r"\x1b\[[0-9;:]*m", "", line)


def capture(program, fake_nvml, machine, width, height, keys, arguments):
    with tempfile.TemporaryDirectory() as tmp:
        cases = os.path.abspath(os.path.join(ROOT, "tests", "cases"))
        env = screens.MACHINES[machine](cases, os.path.abspath(fake_nvml), tmp) if machine else {}
        t = terminal.Terminal(os.path.abspath(program), width, height, *arguments, **(env | {"TZ": "UTC", "TERM": "tmux-256color"}))
        if machine:
            last = float(env["GPUTASKMAN_WALL_TIMES"].split(",")[-1]) - screens.WALL
            t.wait(rf"00:00:{int(last):02}\n", 40)
        else:
            time.sleep(20)  # the demo's history
        for key in keys: t.keys(key)
        if machine: screens.settled(t)
        lines = t.tmux("capture-pane", "-e", "-p").split("\n")[:-1]
        t.keys("Escape", "q")
        t.wait("status=0", 3)
        t.close()
    return lines


def main():
    if len(sys.argv) < 3: sys.exit(__doc__)
    program, fake_nvml, *names = sys.argv[1:]
    for name in names or PICTURES:
        machine, width, height, keys, arguments = PICTURES[name]
        lines = ["" if COMMAND.match(plain(line)) else line for line in capture(program, fake_nvml, machine, width, height, keys, arguments)]
        text = "\n".join(plain(line).rstrip() for line in lines).rstrip() + "\n"
        if found := PATH.search(text): sys.exit(f"{name} shows {found[0]}")
        with open(f"{HERE}/{name}.svg", "w", encoding="utf-8") as f: f.write(screenshot.svg(lines, width))
        with open(f"{HERE}/{name}.txt", "w", encoding="utf-8") as f: f.write(text)
        print(name, flush=True)


if __name__ == "__main__": main()
