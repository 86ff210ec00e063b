#!/usr/bin/env python3
"""The screen on this very machine, with real child processes named by a fake NVML: signals really sent, a driver that
hangs, events. usage: test_live.py PROGRAM FAKE_NVML LIBCUDA"""
import os, re, shutil, signal, subprocess, sys, tempfile, time

import tap, terminal
from tap import done, skip, wait_for

PROGRAM, FAKE_NVML, LIBCUDA = sys.argv[1:4]
DEVICE = """driver 550.54.14
device 0
 name Test GPU
 uuid GPU-00000000-0000-4000-8000-000000000000
 pci 00000000:01:00.0
 mem_total 16GiB
 mem_used 4GiB
 util_gpu 40
 util_mem 12
"""
# A process that has the driver's library mapped, says which signals it gets, and ends at none but KILL.
STUBBORN = """
import ctypes, signal, sys, time
ctypes.CDLL(sys.argv[1])
for name in ("TERM", "INT", "HUP", "QUIT"):
    signal.signal(getattr(signal, "SIG" + name), lambda number, frame: print(signal.Signals(number).name, flush=True))
print("ready", flush=True)
while True: time.sleep(60)
"""


def check(what, ok, detail=""): return tap.check(what, ok, str(detail).replace("\n", "\n# "))


class Child:
    def __init__(self, tmp, name):
        self.log = f"{tmp}/{name}.log"
        script = f"{tmp}/{name}"
        with open(script, "w") as f: f.write(STUBBORN)
        self.process = subprocess.Popen([sys.executable, script, LIBCUDA], stdin=subprocess.DEVNULL, stdout=open(self.log, "w"))
        self.pid = self.process.pid
        wait_for(lambda: "ready" in self.got())

    def got(self): return open(self.log).read().split()
    def signals(self): return self.got()[1:]

    def end(self):
        self.process.kill()
        self.process.wait()


def scenario(path, children, extra=""):
    with open(path + ".new", "w") as f:
        f.write(DEVICE + "".join(f"proc 0 pid={c.pid} type=C mem={512 + 256 * i}MiB\n" for i, c in enumerate(children)) + extra)
    os.rename(path + ".new", path)
    # Found as the driver is: a library named by GPUTASKMAN_NVML makes a recorded machine, which is never signalled.
    return {"LD_LIBRARY_PATH": os.path.dirname(FAKE_NVML), "FAKE_NVML_SCENARIO": path}


def start(env, width=110, height=30): return terminal.Terminal(PROGRAM, width, height, "--all", "-i", "0.3", **env)


def key(t, *keys):
    """Keys as a person presses them: a held or pasted key must not confirm anything."""
    time.sleep(0.4)
    t.keys(*keys)


def signals(tmp):
    first, second, bystander = (Child(tmp, name) for name in ("first", "second", "bystander"))
    t = start(scenario(f"{tmp}/scenario.txt", [bystander, second, first]))
    try:
        if not t.wait(rf"\b{first.pid}\b.*1\.0 G", 20):
            check("the children are rows", False, t.text())
            return
        check("the children are rows", True)
        t.keys("/"); t.type(str(first.pid)); t.keys("Enter")
        t.keys("k")
        check("k asks, with TERM preselected", t.wait("Send a signal") and t.wait("TERM  asks it to end") and t.wait(str(first.pid)), t.text())
        for _ in range(30): t.keys("k")
        t.keys("k", "Enter")
        time.sleep(0.5)
        check("a held k, and an Enter right behind it, confirm nothing", first.signals() == [] and "Send a signal" in t.text(), (first.signals(), t.text()))
        key(t, "Escape")
        check("Esc sends nothing", t.wait("no signal sent") and first.signals() == [], first.signals())
        t.keys("F9")
        key(t, "y")
        check("y sends TERM", t.wait("TERM sent to 1 process") and bool(wait_for(lambda: first.signals() == ["SIGTERM"])), (first.signals(), t.text()))
        t.keys("k")
        key(t, "Down", "Down")
        key(t, "Enter")
        check("another one can be chosen", bool(wait_for(lambda: first.signals() == ["SIGTERM", "SIGHUP"])), first.signals())
        t.keys("Home")
        t.keys("Space")
        t.wait("1 tagged")
        t.keys("Space")
        check("Space tags, and moves on", t.wait("2 tagged"), t.text())
        t.keys("k")
        check("it says to how many", t.wait("to 2 tagged processes"), t.text())
        key(t, "y")
        sent = wait_for(lambda: first.signals()[2:] == ["SIGTERM"] and second.signals() == ["SIGTERM"])
        check("a signal goes to all tagged ones, and to no other", sent and bystander.signals() == [], [c.signals() for c in (first, second, bystander)])
        check("nobody was hurt", all(c.process.poll() is None for c in (first, second, bystander)))
        t.keys("Home", "Space", "U", "k")
        t.wait("Send a signal")
        check("U takes the tags away", "tagged" not in t.text(), t.text())
        key(t, "End"); key(t, "Down"); key(t, "Down"); key(t, "Down"); key(t, "Down")
        key(t, "y")
        check("KILL ends a process", bool(wait_for(lambda: sum(c.process.poll() is not None for c in (first, second, bystander)) == 1, 5)), t.text())
        t.keys("e")
        check("and the events say so", t.wait("Events") and t.wait(r"ended", 15), t.text())
        key(t, "Escape")
    finally:
        t.keys("q")
        t.close()
        for child in (first, second, bystander): child.end()


def events(tmp):
    """An event comes by itself, and leads to its process."""
    first, late = Child(tmp, "first"), Child(tmp, "late")
    t = start(scenario(f"{tmp}/scenario.txt", [first], f"proc 0 pid={late.pid} type=C mem=64MiB from=4\n"))
    t.wait(rf"▸ +{first.pid}", 20)
    check("a new process is noticed in the line above the keys", t.wait(rf"\d\d:\d\d:\d\d  \S+ \({late.pid}\) began to use the GPU", 20), t.text())
    t.keys("e")
    check("e lists it", t.wait(r"Events, newest first \(\d+\)"), t.text())
    t.keys("Enter")
    check("Enter selects its process", t.wait(rf"▸ +{late.pid}"), t.text())
    t.keys("Home", "e", "e")
    check("e closes it again", bool(wait_for(lambda: "newest first" not in t.text())), t.text())
    t.keys("q")
    t.close()
    for child in (first, late): child.end()


def reused(tmp):
    """The process of the confirmation ended meanwhile: nothing is sent, and that is said."""
    child = Child(tmp, "short")
    t = start(scenario(f"{tmp}/scenario.txt", [child]))
    t.wait(rf"\b{child.pid}\b", 20)
    t.keys("p", "k")
    t.wait("Send a signal")
    child.end()
    key(t, "y")
    check("a process that has ended is not signalled, and that is said", t.wait("was not signalled|No such process"), t.text())
    t.keys("q")
    t.close()


def outside(tmp):
    """A listed pid that is not here gets no signal."""
    class Nobody: pid = 4194000
    child = Child(tmp, "inside")
    t = start(scenario(f"{tmp}/scenario.txt", [child, Nobody]))
    t.wait("4194000", 20)
    t.keys("/"); t.type("4194000"); t.keys("Enter", "k")
    key(t, "y")
    check("a pid that is not of this system gets no signal", t.wait("get no signals|was not signalled|No such process"), t.text())
    t.keys("Escape", "q")
    t.close()
    child.end()


def hangs(tmp):
    """NVML takes 30 s for each call: keys are answered all the same. The bound is wide, for a loaded machine."""
    t = start(scenario(f"{tmp}/scenario.txt", [], "latency * 30000\n"), 100, 30)
    t.wait("Quit")
    slowest = 0.0
    for keys_, what in ((("?",), "Help"), (("Escape", "S"), "Sort by"), (("Escape", "/"), "Search:"), (("Escape", "f"), "Filter:"), (("Escape", "C"), "Setup"), (("Escape",), "Quit")):
        began = time.monotonic()
        t.keys(*keys_)
        shown = t.wait(what, 5)
        slowest = max(slowest, time.monotonic() - began)
        check(f"NVML hangs: {' '.join(keys_)} is answered", shown, t.text())
    check("each within a second", slowest < 1.0, f"{slowest:.3f} s")
    began = time.monotonic()
    t.keys("q")
    check("and q leaves at once", t.wait("status=0", 5) and time.monotonic() - began < 2.0, t.text())
    t.close()


if shutil.which("tmux") is None:
    skip("the live screen", "no tmux")
else:
    for test in (signals, events, reused, outside, hangs):
        with tempfile.TemporaryDirectory() as tmp: test(tmp)
done()
