#!/usr/bin/env python3
"""Every key of the table of keys (src/present/tui/keys.def) does what the help says. usage: test_keys.py PROGRAM CASES FAKE_NVML"""
import glob, os, re, shutil, sys, tempfile, time

import screens, tap, terminal
from tap import done, skip, wait_for

PROGRAM, CASES, FAKE_NVML = map(os.path.abspath, sys.argv[1:4])


def check(what, ok, detail=""): return tap.check(what, ok, str(detail).replace("\n", "\n# "))


class On:
    """The program on a recorded machine."""
    def __init__(self, machine, width=110, height=36, *arguments, **more):
        self.tmp = tempfile.TemporaryDirectory()
        env = screens.MACHINES[machine](CASES, FAKE_NVML, self.tmp.name) | {"XDG_CONFIG_HOME": f"{self.tmp.name}/config", "TZ": "UTC"} | more
        self.t = terminal.Terminal(PROGRAM, width, height, *arguments, **env)
        last = float(env["GPUTASKMAN_WALL_TIMES"].split(",")[-1]) - screens.WALL
        self.t.wait(rf"00:00:{int(last):02}\n", 40)

    def __enter__(self): return self.t
    def __exit__(self, *_):
        self.t.keys("Escape", "Escape", "Escape", "q")
        self.t.wait("status=0", 5)
        self.t.close()
        self.tmp.cleanup()


def selected(t): return next((int(m[1]) for line in t.lines() if (m := re.match(r"[▸+] *(\d+) ", line))), None)
def rows(t): return [int(m[1]) for line in t.lines() if (m := re.match(r"[▸+ ] *(\d{3,}) ", line))]


def press(t, keys, what, expected, got):
    """Presses keys and waits for an answer of `got` that is `expected`."""
    t.keys(*keys)
    check(f"{' '.join(keys)}: {what}", bool(wait_for(lambda: got() == expected, 8)), f"{got()} is not {expected}\n{t.text()}")


def says(t, keys, what, words, seconds=8):
    t.keys(*keys)
    check(f"{' '.join(keys)}: {what}", t.wait(words, seconds), t.text())


def moving(t):
    order = [1015 - n for n in range(16)]
    check("the largest is the first selection", selected(t) == 1015, t.text())
    for keys, pid in ((["Down"], 1014), (["Up"], 1015), (["Up"], 1015), (["M-j"], 1014), (["M-k"], 1015), (["End"], 1000), (["Down"], 1000), (["Home"], 1015)):
        press(t, keys, f"{pid} is selected", pid, lambda: selected(t))
    t.keys("NPage")
    check("PgDn goes on a page", bool(wait_for(lambda: selected(t) not in (None, 1015))), t.text())
    press(t, ["PPage"], "and back", 1015, lambda: selected(t))
    t.keys("Down", "Down")
    press(t, ["r"], "the order turns, the selection stays with its process", 1013, lambda: selected(t))
    check("r: the smallest is first", bool(wait_for(lambda: (rows(t) or [None])[0] == 1000)), t.text())
    press(t, ["I"], "and turns back", 1015, lambda: (rows(t) or [None])[0])
    t.keys("Tab")
    time.sleep(0.2)
    press(t, ["Down"], "the arrows move the inspector after Tab", 1013, lambda: selected(t))
    press(t, ["BTab", "Down"], "and the table after Shift-Tab", 1012, lambda: selected(t))
    check("the order is by VRAM", rows(t) == sorted(rows(t), key=order.index), rows(t))


def sorting(t):
    for column in ("GPU%", "NAME", "VRAM"): says(t, ["s"], f"next is {column}", rf"{re.escape(column)}[▾▴]")
    says(t, ["P"], "by load", "GPU%▾")
    says(t, ["M"], "by VRAM", "VRAM▾")
    says(t, ["N"], "by PID", "PID▾|PID▴")
    says(t, ["T"], "by time", "sorted by TIME")
    says(t, ["M"], "by VRAM again", "VRAM▾")
    for key in ("S", "F6"):
        says(t, [key], "the sort menu", "Sort by")
        says(t, ["Home", "Enter"], "its first is PID", "PID▾|PID▴")


def adapters(t):
    press(t, ["3"], "GPU 3 alone", [1003], lambda: rows(t))
    press(t, ["g"], "the next one", [1004], lambda: rows(t))
    press(t, ["0"], "all", 16, lambda: len(rows(t)))
    press(t, ["g"], "the first", [1000], lambda: rows(t))
    says(t, ["0", "9"], "GPU 9", "1009")
    press(t, ["0"], "all again", 16, lambda: len(rows(t)))


def choosing(t):
    t.keys("/"); t.type("1007"); t.keys("Enter")
    check("/ finds a process", bool(wait_for(lambda: selected(t) == 1007)), t.text())
    t.keys("Home", "n")
    check("n finds it again", bool(wait_for(lambda: selected(t) == 1007)), t.text())
    t.keys("F3"); t.type("100"); t.keys("Enter")
    t.keys("Home", "/"); t.type("10"); t.keys("F3", "F3")
    check("F3 goes on in a search", bool(wait_for(lambda: selected(t) == rows(t)[2])) and "Search: 10" in t.text(), t.text())
    t.keys("Enter")
    t.keys("n"); first = wait_for(lambda: selected(t))
    check("n goes on to the next", bool(wait_for(lambda: selected(t) in range(1000, 1010))), t.text())
    for key in ("f", "F4", "\\"):
        t.keys(key); t.type("vram>56g"); t.keys("Enter")
        check(f"{key} filters", bool(wait_for(lambda: len(rows(t)) == 4)), t.text())
        check(f"{key}: what is chosen is said", t.wait(r"filter: vram>56g"), t.text())
        press(t, ["Escape"], "all are back", 16, lambda: len(rows(t)))
    t.keys("f"); t.type("vra")
    check("a half-typed field empties no list", t.wait("Filter: vra") and len(rows(t)) == 16, t.text())
    t.keys("Enter")
    check("but is a text to look for in the end, and what a field wants is said", t.wait("a field wants more: vram>2g") and not rows(t), t.text())
    t.keys("Escape", "Escape")
    press(t, ["Escape"], "all are back", 16, lambda: len(rows(t)))
    t.keys("f"); t.type("nonsense>1"); t.keys("Enter")
    check("a wrong word is said, with those that exist", t.wait("there is no field 'nonsense'"), t.text())
    t.keys("Escape", "Escape")


def tags(t):
    t.keys("Home", "Space", "Space")
    check("Space tags and goes on", t.wait("2 tagged") and sum(line.startswith("+") for line in t.lines()) == 2, t.text())
    t.keys("U")
    check("U untags", bool(wait_for(lambda: not any(line.startswith("+") for line in t.lines()))), t.text())
    for key in ("k", "F9"): says(t, [key], "no signal on a recorded machine", "signals are sent only")


def pace(t):
    for key in ("p", "Z"):
        says(t, [key], "paused, and for how long", r"PAUSED for \d")
        t.keys(key)
        check(f"{key}: and on again", bool(wait_for(lambda: "PAUSED" not in t.text())), t.text())
    for keys, words in ((["-"], r"2\.0 s"), (["+"], r"1\.0 s"), (["="], r"0\.5 s")): says(t, keys, "the interval", words)
    t.keys("C-l")
    check("Ctrl-L draws anew", t.wait("1015"), t.text())


def panes(t):
    for keys, words in ((["?"], "this help"), (["h"], "this help"), (["F1"], "this help"), (["Enter"], "Inspector"), (["e"], "newest first"), (["C"], "Esc closes and saves"), (["F2"], "Esc closes and saves"),
                        (["S"], "Sort by"), (["u"], "all users")):
        says(t, keys, "opens", words)
        t.keys("Escape")
        check("Esc closes it", bool(wait_for(lambda: not re.search(words, t.text()))), t.text())


def writing():
    """w writes a snapshot into the current folder."""
    with tempfile.TemporaryDirectory() as folder:
        here = os.getcwd()
        os.chdir(folder)
        try:
            with On("llm") as t:
                says(t, ["w"], "the snapshot is written", r"written to gputaskman-20260101-\d{6}\.json")
                check("w: as JSON", len(glob.glob(f"{folder}/gputaskman-*.json")) == 1, os.listdir(folder))
        finally: os.chdir(here)


def users_and_tree():
    with On("compositor") as t:
        before = rows(t)
        t.keys("u"); t.wait("all users")
        t.keys("Down", "Down", "Enter")
        check("u shows one user's processes", t.wait(r"user: \S+") and bool(wait_for(lambda: 0 < len(rows(t)) < len(before) + 1)), t.text())
        t.keys("Escape")
        for key in ("t", "F5"):
            t.keys(key)
            check(f"{key} puts children under their parents", t.wait(r"└─|├─"), t.text())
            t.keys(key)
            check(f"{key} again: a flat list", bool(wait_for(lambda: not re.search(r"└─|├─", t.text()))), t.text())


def everyone():
    with On("asleep") as t:
        few = len(rows(t))
        t.keys("a")
        check("a lists every GPU process", t.wait("all GPU processes") and bool(wait_for(lambda: len(rows(t)) >= few)), t.text())
        t.keys("a")
        check("a again: those with memory or load", t.wait("only processes with GPU memory or load"), t.text())


def endings():
    for key in ("q", "F10", "C-c"):
        with On("llm") as t:
            t.keys(key)
            check(f"{key} leaves", t.wait("status=0", 8) and t.is_clean(), t.text())


def all_are_named():
    """Each key of the table is pressed somewhere above."""
    names = {"PgUp": "PPage", "PgDn": "NPage", "Shift-Tab": "BTab", "Ctrl-C": "C-c", "Ctrl-L": "C-l", "Esc": "Escape", "Alt-k": "M-k", "Alt-j": "M-j", "\\\\": "\\\\"}
    table = open(f"{os.path.dirname(os.path.abspath(__file__))}/../../src/present/tui/keys.def", encoding="utf-8").read()
    own = open(os.path.abspath(__file__), encoding="utf-8").read()
    others = set("Ctrl-Z 1 2 4 5 6 7 8 m".split())  # elsewhere, or like their neighbours
    groups = dict(re.findall(r'^ACTION\((\w+), \d+, "[^"]*", "(\w+)"', table, re.M))
    keys = [names.get(name, name) for action, name in re.findall(r'^KEY\((\w+), .*, "(.+)"\)$', table, re.M)
            if name not in others and groups[action] not in ("Charts", "Replay")]  # those have tests of their own
    missing = [key for key in keys if f'"{key}"' not in own.split("def all_are_named")[0]]
    check("every key of the table is tested", len(keys) > 40 and not missing, missing)


all_are_named()
if shutil.which("tmux") is None:
    skip("the keys", "no tmux")
else:
    with On("cards16", 110, 90) as t:
        for test in (moving, sorting, adapters, choosing, tags, pace, panes): test(t)
    for test in (writing, users_and_tree, everyone, endings): test()
done()
