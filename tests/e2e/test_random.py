#!/usr/bin/env python3
"""Random keys, mouse reports, bytes and sizes, for GPUTASKMAN_RANDOM_SECONDS (default 8) a machine, from a seed that is
printed (GPUTASKMAN_RANDOM_SEED repeats one). The program must answer all the time, leave when told, and leave the
terminal clean; in a build with sanitizers, without a finding. usage: test_random.py PROGRAM CASES FAKE_NVML"""
import os, random, shutil, sys, tempfile, time

import screens, tap, terminal
from tap import done, skip, wait_for

PROGRAM, CASES, FAKE_NVML = sys.argv[1:4]
SECONDS = float(os.environ.get("GPUTASKMAN_RANDOM_SECONDS", "8"))
SEED = int(os.environ.get("GPUTASKMAN_RANDOM_SEED", str(time.time_ns() % 1000000)))
# q, Ctrl-C, F10 and Ctrl-Z would end it; w would leave files.
LETTERS = [c for c in map(chr, range(33, 127)) if c not in "qw"]
NAMES = ["Up", "Down", "Left", "Right", "PPage", "NPage", "Home", "End", "Enter", "Escape", "Tab", "BTab", "Space", "BSpace", "DC", "C-l", "C-u",
         *[f"F{n}" for n in range(1, 13) if n != 10]]


def check(what, ok, detail=""): return tap.check(what, ok, str(detail).replace("\n", "\n# "))


def push(t, dice):
    what = dice.random()
    if what < 0.45: t.keys(*[dice.choice(NAMES) for _ in range(dice.randint(1, 6))])
    elif what < 0.8: t.type("".join(dice.choice(LETTERS) for _ in range(dice.randint(1, 8))))
    elif what < 0.9:
        t.tmux("send-keys", "-H", *[f"{ord(c):x}" for c in f"\x1b[<{dice.choice((0, 0, 32, 64, 65, 2))};{dice.randint(1, 150)};{dice.randint(1, 60)}{dice.choice('Mm')}"])
    elif what < 0.95: t.tmux("send-keys", "-H", *[f"{dice.choice([b for b in range(256) if b not in (3, 17, 19, 26, 28, 113, 119)]):x}" for _ in range(dice.randint(1, 12))])
    else: t.resize(dice.choice((1, 20, 38, 39, 40, 80, 120, 300)), dice.choice((1, 8, 9, 10, 24, 40, 100)))


def torture(machine, seed):
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as tmp:
        env, arguments = {"XDG_CONFIG_HOME": f"{tmp}/config"}, ["--demo"]
        if machine != "demo":
            env |= screens.MACHINES[machine](CASES, FAKE_NVML, tmp)
            # More samples than the machine has: its last one again and again, so that snapshots come in between.
            env["GPUTASKMAN_SAMPLE_TIMES"] = ",".join(str(100 + n) for n in range(3000))
            env.pop("GPUTASKMAN_WALL_TIMES")
            arguments = ["-i", "0.2"]
        t = terminal.Terminal(PROGRAM, 100, 30, *arguments, **env)
        t.wait("Quit", 20) # not the name: the command line has it too
        end, pushed = time.monotonic() + SECONDS, 0
        while time.monotonic() < end and t.program() is not None:
            push(t, dice)
            pushed += 1
        alive = t.program() is not None
        check(f"{machine}, seed {seed}: it lives after {pushed} rounds", alive, t.text())
        t.resize(100, 30)
        t.keys("Escape")
        time.sleep(0.3)
        for _ in range(4): t.keys("Escape")
        shown = wait_for(lambda: "Quit" in t.lines()[-1], 20)
        check(f"{machine}, seed {seed}: the screen is whole", bool(shown), t.text())
        t.keys("q")
        check(f"{machine}, seed {seed}: it leaves with status 0 and a clean terminal", t.wait("status=0", 20) and t.is_clean(), t.text())
        check(f"{machine}, seed {seed}: no sanitizer has anything to say", not any(word in t.tmux("capture-pane", "-p", "-S", "-200") for word in ("Sanitizer", "runtime error")), t.text())
        t.close()


if shutil.which("tmux") is None:
    skip("random keys", "no tmux")
else:
    for n, machine in enumerate(("llm", "cards16", "compositor", "demo")): torture(machine, SEED + n)
done()
