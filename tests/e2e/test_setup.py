#!/usr/bin/env python3
"""The setup screen and the config file. usage: test_setup.py PROGRAM CASES SOURCE_ROOT"""
import os, re, shutil, sys, tempfile

import tap, terminal
from tap import done, skip, wait_for

PROGRAM, CASES, ROOT = sys.argv[1:4]
RECORDED = {"GPUTASKMAN_SYSROOT": f"{CASES}/drm/amd-rdna3-private-client/frame0", "GPUTASKMAN_NVML": "/nonexistent",
            "GPUTASKMAN_SAMPLE_TIMES": ",".join(str(100 + n) for n in range(600))}


def check(what, ok, detail=""): return tap.check(what, ok, str(detail).replace("\n", "\n# "))
def start(home, *arguments, **more): return terminal.Terminal(PROGRAM, 110, 36, *arguments, **(RECORDED | {"XDG_CONFIG_HOME": home} | more))


def config(home):
    try: return open(f"{home}/gputaskman/config", encoding="utf-8").read()
    except OSError: return None


def write_config(home, text):
    os.makedirs(f"{home}/gputaskman", exist_ok=True)
    with open(f"{home}/gputaskman/config", "w", encoding="utf-8") as f: f.write(text)


def heading(t): return next((line for line in t.lines() if re.search(r"\bPID\b", line)), "")


def first_use(home):
    t = start(home)
    t.wait("llama-server")
    t.keys("C")
    check("C opens the setup screen", t.wait("Setup") and t.wait("Columns"), t.text())
    t.keys("Escape")
    wait_for(lambda: "Setup " not in t.text())
    check("nothing changed: no file", config(home) is None, config(home))
    t.keys("F2")
    check("F2 opens it too", t.wait("Esc closes and saves"), t.text())
    t.keys("Down", "Down", "Right")  # the interval
    check("a change of the interval shows at once", t.wait(r"2\.0 s"), t.text())
    t.keys("End", "Home", *["Down"] * 9)  # the first column: PID
    t.keys("Space", "Down", "Right")  # hidden; USER moves behind CLASS
    t.keys("Escape")
    check("what was changed is saved when it closes", t.wait("settings saved in"), t.text())
    saved = config(home) or ""
    check("the file holds what was changed, and no more", re.findall(r"^(\w+) =", saved, re.M) == ["interval", "columns"] and "interval = 2\n" in saved and "columns = class user name" in saved, saved)
    check("PID is gone, CLASS comes before USER", "PID" not in t.text() and bool(re.search(r"CLASS .*USER .*NAME", t.text())), t.text())
    t.keys("q")
    t.wait("status=0")
    t.close()
    t = start(home)
    t.wait("llama-server")
    check("the next start has them", t.wait(r"2\.0 s") and t.wait("CLASS .*USER .*NAME"), t.text())
    t.keys("q")
    t.close()
    t = start(home, "-i", "5", "--sort", "spill")
    check("an option overrides the file", t.wait(r"5\.0 s"), t.text())
    t.keys("q")
    t.close()


def forgiving(home):
    mine = "# mine\ntheme = purple\nfuture = 1\ncolumns = pid, nonsense, name, vram\nsort = nothing\nreverse = yes\n"
    write_config(home, mine)
    t = start(home)
    t.wait("llama-server")
    check("what is wrong is said on the screen, with file and line", t.wait(r"config:2: theme: 'purple'"), t.text())
    check("and the rest holds", bool(re.fullmatch(r" *PID +NAME +VRAM. *", heading(t))), heading(t))
    t.keys("C", "Escape", "C", "Down", "Right", "Escape")
    t.wait("settings saved")
    check("lines that are not understood, and comments, stay", config(home) == mine + "characters = blocks\n", config(home))
    t.keys("q")
    check("all problems stand on standard error", t.wait(r"config:3: there is no setting 'future'") and t.wait("config:4: columns: there is no column 'nonsense'") and t.wait("config:5: sort: "), t.text())
    t.close()


def no_place(home):
    t = start("/dev/null/nowhere")
    t.wait("llama-server")
    t.keys("C", "Right", "Escape")
    check("a place that cannot be written is said", t.wait("settings not saved: cannot make the folder"), t.text())
    t.keys("q")
    check("and the program ends well", t.wait("status=0"), t.text())
    t.close()


def saved_on_leaving(home):
    t = start(home)
    t.wait("llama-server")
    t.keys("C", "Right", "Escape", "q")
    check("saved also when the program is left at once", t.wait("status=0") and "theme = dark" in (config(home) or ""), config(home))
    t.close()


def looks(home):
    t = start(home)
    t.wait("llama-server")
    t.keys("C", "Down", "Right", "Right")
    check("ASCII at once", bool(wait_for(lambda: all(ord(c) < 128 for c in t.text()))), t.text())
    t.keys("Up", "Left")
    def colours(): return re.findall(r"\x1b\[[0-9;]*(?:3[0-7]|4[0-7]|[34]8[;:]5)[0-9;]*m", t.tmux("capture-pane", "-e", "-p"))
    check("mono at once", bool(wait_for(lambda: not colours())), colours()[:5])
    t.keys("Right", "Down", "Left", "Left", "Escape")
    check("and back", bool(wait_for(colours)) and t.wait("│|█"), t.text())
    t.keys("q")
    t.close()


def documented():
    names = re.findall(r'^SETTING\(\w+, "(\w+)"', open(f"{ROOT}/src/settings/config.def").read(), re.M)
    text = open(f"{ROOT}/docs/configuration.md", encoding="utf-8").read()
    check("docs/configuration.md names every setting", names and all(f"| `{name}` |" in text for name in names), names)
    columns = re.findall(r"^COLUMN\((\w+),", open(f"{ROOT}/src/view/columns.def").read(), re.M)
    charts = re.findall(r"^CHART\((\w+),", open(f"{ROOT}/src/view/charts.def").read(), re.M)
    check("and every chart", charts and " ".join(charts) in text, charts)
    check("and every column", columns and " ".join(columns) in text.replace("\n", " "), columns)


documented()
if shutil.which("tmux") is None:
    skip("the setup screen", "no tmux")
else:
    for test in (first_use, forgiving, no_place, saved_on_leaving, looks):
        with tempfile.TemporaryDirectory() as home: test(home)
done()
