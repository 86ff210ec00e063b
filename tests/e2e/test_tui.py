#!/usr/bin/env python3
"""The live screen in a pseudo-terminal (tmux). usage: test_tui.py PROGRAM CASES"""
import os, re, shutil, signal, subprocess, sys, tempfile, time

import tap, terminal
from tap import done, skip, wait_for

PROGRAM, CASES = sys.argv[1:3]
CASE = f"{CASES}/drm/amd-rdna3-private-client"
# Two samples, then the last one again and again: a recorded machine that stands still.
RECORDED = {"GPUTASKMAN_SYSROOT": f"{CASE}/frame0", "GPUTASKMAN_SAMPLE_TIMES": ",".join(str(100 + n) for n in range(600)),
            "GPUTASKMAN_NVML": "/nonexistent"}


def check(what, ok, detail=""): return tap.check(what, ok, str(detail).replace("\n", "\n# "))


def Terminal(width, height, *arguments, **more): return terminal.Terminal(PROGRAM, width, height, *arguments, **(RECORDED | more))


def sizes():
    for width, height in ((120, 40), (80, 24), (40, 10), (39, 9), (300, 100)):
        t = Terminal(width, height)
        ok = t.wait("llama-server") and t.wait("7800|AMD")
        lines = t.lines()
        check(f"{width}x{height}: the GPU, its process and the keys", ok and lines[0].lstrip().startswith("gputaskman") and "Quit" in lines[-1], t.text())
        check(f"{width}x{height}: nothing wraps or scrolls", len(lines) == height and all(len(line) <= width for line in lines), t.text())
        if width >= 80: check(f"{width}x{height}: says that the machine is recorded", "recorded machine" in lines[0], lines[0])
        t.keys("q")
        check(f"{width}x{height}: q leaves a clean terminal, status 0", t.wait("status=0") and t.is_clean(), t.text())
        t.close()
    t = Terminal(38, 8)
    check("smaller than 39x9 says what is needed", t.wait("too small: 39x9 needed"), t.text())
    t.resize(80, 24)
    check("growing brings the screen", t.wait("llama-server"), t.text())
    t.close()


def keys():
    t = Terminal(100, 30)
    t.wait("llama-server")
    t.keys("?")
    check("? opens the help, written from the table of keys", t.wait("this help") and t.wait("F10"), t.text())
    t.keys("End")
    check("and every figure of a process from the field table, with how it is known", t.wait("unexplained"), t.text())
    t.keys("Escape")
    wait_for(lambda: "this help" not in t.text())
    t.keys("S")
    check("S opens the sort menu", t.wait("Sort by"), t.text())
    t.keys("Escape")
    wait_for(lambda: "Sort by" not in t.text())
    t.keys("P")
    check("P sorts by load", t.wait(r"GPU%▾"), t.text())
    t.keys("M")
    check("M sorts by VRAM", t.wait(r"VRAM▾"), t.text())
    t.keys("I")
    check("I turns it round", t.wait(r"VRAM▴"), t.text())
    t.keys("M", "f")
    t.type("name:no-such-process")
    check("a filter acts at once", t.wait("no process passes"), t.text())
    t.keys("Escape")
    check("Esc takes it back", t.wait("llama-server"), t.text())
    t.keys("/")
    t.type("llama")
    t.keys("Enter", "Enter")
    check("Enter opens the inspector on the process found", t.wait("Inspector") and t.wait("llama-server 4242"), t.text())
    t.keys("Escape")
    wait_for(lambda: "Inspector" not in t.text())
    t.keys("k")
    check("no signal on a recorded machine", t.wait("signals are sent only"), t.text())
    t.keys("p")
    check("p pauses and says so", t.wait("PAUSED"), t.text())
    t.keys("q")
    t.close()


def mouse():
    """What a terminal sends for the mouse (SGR), typed into it as tmux would for a click of its own."""
    t = Terminal(120, 40)
    t.wait("llama-server")
    def click(x, y, kind="M", button=0): t.tmux("send-keys", "-H", *[f"{ord(c):x}" for c in f"\x1b[<{button};{x};{y}{kind}"])
    def line_of(what): return next((i + 1 for i, line in enumerate(t.lines()) if re.search(what, line)), 0)
    heading = line_of(r"\bPID\b.*VRAM")
    click(t.lines()[heading - 1].index("NAME") + 1, heading)
    check("a click on a heading sorts", t.wait("NAME▴"), t.text())
    click(t.lines()[heading - 1].index("NAME") + 1, heading)
    check("another turns the order round", t.wait("NAME▾"), t.text())
    click(20, heading + 1, button=65)
    check("the wheel moves the selection", t.wait("llama-server"), t.text())
    split = line_of("┄┄┄")
    click(5, split); click(5, split - 4, button=32); click(5, split - 4, "m")
    check("the split follows the mouse", bool(wait_for(lambda: line_of("┄┄┄") == split - 4)), t.text())
    click(5, split + 2, button=32)
    check("a way without a press moves nothing", not wait_for(lambda: line_of("┄┄┄") != split - 4, 0.5), t.text())
    help_ = line_of("Help")
    click(t.lines()[help_ - 1].index("Help") + 1, help_)
    check("a click in the key bar is its key", t.wait("this help"), t.text())
    t.keys("Escape", "q")
    t.close()


def replies():
    """The terminal's own word on its background, and sequences nobody knows: none of their letters is a key."""
    t = Terminal(100, 30)
    t.wait("llama-server")
    def send(text): t.tmux("send-keys", "-H", *[f"{ord(c):x}" for c in text])
    def colours(): return set(re.findall(r"38;5;(\d+)", t.tmux("capture-pane", "-e", "-p")))
    dark = colours()
    send("\x1b]11;rgb:ffff/ffff/ffff\x1b\\")
    check("a light background brings its colours", bool(wait_for(lambda: "242" in colours())) and "245" in dark, (dark, colours()))
    send("\x1b]11;rgb:0000/0000/0000\x07")
    check("a dark one too", bool(wait_for(lambda: colours() == dark)), (dark, colours()))
    send("\x1b[?62;22q\x1b[99;99R\x1bPq?kq\x1b\\\x1b[I\x1b]0;q\x07")
    time.sleep(0.5)
    check("unknown sequences do nothing", t.wait("llama-server") and "Help " not in t.lines()[1] and t.program() is not None, t.text())
    send("\x1b[11~")
    check("F1 as PuTTY sends it", t.wait("this help"), t.text())
    t.keys("Escape", "q")
    check("nothing is left for the shell", t.wait("status=0") and not re.search(r"[$#] .*rgb|62;", t.text()), t.text())
    t.close()
    t = Terminal(100, 30, "--theme", "light")
    check("--theme light needs no asking", t.wait("llama-server") and bool(wait_for(lambda: "242" in set(re.findall(r"38;5;(\d+)", t.tmux("capture-pane", "-e", "-p"))))))
    t.keys("q")
    t.close()
    t = Terminal(100, 30, COLORFGBG="0;15")
    check("COLORFGBG is heard", t.wait("llama-server") and bool(wait_for(lambda: "242" in set(re.findall(r"38;5;(\d+)", t.tmux("capture-pane", "-e", "-p"))))))
    t.keys("q")
    t.close()


def long_words():
    """What is typed stays in sight on a narrow screen."""
    t = Terminal(40, 10)
    t.wait("llama-server")
    t.keys("/")
    t.type("a" * 50 + "bc")
    check("the end of a long search is in sight", t.wait(r"(?m)^ Search: a+bc$"), t.text())
    t.keys("Escape", "q")
    t.close()


def charts():
    t = Terminal(120, 40)
    check("120x40 has charts beside each other with their scale and time axis", t.wait(r"load .*memory by class") and t.wait(r"100.*16 G") and t.wait("-60 s .*now.*-60 s"), t.text())
    t.keys("]")
    check("] shows more of the past", t.wait("-5 min") and "-60 s" not in t.text(), t.text())
    t.keys("[", "[")
    check("[ shows less, down to a minute", t.wait("-60 s"), t.text())
    t.keys("c")
    check("c leaves one", bool(wait_for(lambda: t.text().count("-60 s") == 1)), t.text())
    t.keys("v")
    check("v lists what the GPU delivers, and why not the rest", t.wait(r"temperature +the hottest") and t.wait(r"PCIe +n/a: ."), t.text())
    t.keys("Down", "Down", "Down", "Enter")
    check("Enter chooses a chart", bool(wait_for(lambda: "all that fit" not in t.text())) and t.wait(r"temperature +\d+ .C"), t.text())
    t.keys("c")
    check("c again leaves none", bool(wait_for(lambda: "-60 s" not in t.text())), t.text())
    t.resize(80, 24)
    t.keys("c")
    t.keys("c")
    check("80x24 has one when asked for", t.wait("-60 s"), t.text())
    t.keys("q")
    t.close()


def memory_map():
    for width, height in ((120, 40), (80, 24), (40, 10)):
        t = Terminal(width, height)
        t.wait("llama-server")
        t.keys("m")
        check(f"{width}x{height}: m names the selected process's segment", t.wait(r"llama-server +9\.0 GiB +5\d %"), t.text())
        t.keys("Right")
        check(f"{width}x{height}: Right goes on", t.wait(r"unattributed +120\.0 MiB +1 %"), t.text())
        t.keys("End")
        check(f"{width}x{height}: End is the last segment", t.wait(r"free +6\.\d GiB"), t.text())
        t.keys("Escape")
        check(f"{width}x{height}: Esc leaves", bool(wait_for(lambda: not re.search(r"free +6\.\d GiB", t.text()))), t.text())
        t.keys("q")
        t.close()


def endings():
    for name, number in (("SIGTERM", signal.SIGTERM), ("SIGHUP", signal.SIGHUP), ("SIGINT", signal.SIGINT)):
        t = Terminal(80, 24)
        t.wait("llama-server")
        os.kill(t.program(), number)
        check(f"{name} leaves a clean terminal and its status", t.wait(f"status={128 + number}") and t.is_clean(), t.text())
        t.close()
    t = Terminal(80, 24)
    t.wait("llama-server")
    t.keys("C-c")
    check("Ctrl-C leaves", t.wait("status=0") and t.is_clean(), t.text())
    t.close()
    t = Terminal(80, 24)
    t.wait("llama-server")
    os.kill(t.program(), signal.SIGSEGV)
    check("a crash leaves a clean terminal", t.wait("status=139") and t.is_clean(), t.text())
    t.close()
    for name in ("SIGQUIT", "SIGUSR1", "SIGALRM", "SIGXCPU"):
        t = Terminal(80, 24)
        t.wait("llama-server")
        number = getattr(signal, name)
        os.kill(t.program(), number)
        check(f"{name}, which nobody handles, leaves a clean terminal too", t.wait(f"status={128 + number}") and t.is_clean(), t.text())
        t.close()
    t = Terminal(80, 24)
    t.wait("llama-server")
    t.keys("C-z")
    check("Ctrl-Z gives the terminal back", t.wait("Stopped|suspended") and t.is_clean(), t.text())
    t.resize(90, 26)
    t.type("fg")
    t.keys("Enter")
    check("fg brings the screen at its new size", t.wait("llama-server") and bool(wait_for(lambda: "Quit" in t.lines()[25])), t.text())
    # Whatever is open: a menu, a prompt, the help.
    for keys, words in ((["S"], "Sort by"), (["/"], "Search:"), (["?"], "this help")):
        t.keys(*keys)
        t.wait(words)
        t.keys("C-z")
        check(f"Ctrl-Z over {words}", bool(wait_for(t.is_clean)), t.text())
        t.type("fg")
        t.keys("Enter")
        check(f"and fg brings {words} back", t.wait(words), t.text())
        t.keys("Escape")
        wait_for(lambda: not re.search(words, t.text()))
    t.keys("q")
    t.close()
    t = Terminal(80, 24)
    t.wait("llama-server")
    pid = t.program()
    t.tmux("kill-server")
    check("a terminal that is gone ends it", bool(wait_for(lambda: not os.path.exists(f"/proc/{pid}"), 10)), pid)


def choices():
    """What -g and -p leave nothing of is said: nobody claims that no process uses a GPU."""
    for arguments, words in ((["-g", "nonsense"], "no GPU matches a -g"), (["-p", "1"], "no process chosen with -p"), (["-g", "radeon"], "llama-server"), (["-p", "4242"], "llama-server")):
        t = Terminal(100, 30, *arguments)
        check(f"{' '.join(arguments)}: {words}", t.wait(words), t.text())
        t.keys("q")
        t.close()


def terminals():
    t = Terminal(100, 30, LC_ALL="C")
    check("the C locale gives ASCII", t.wait("llama-server") and all(ord(c) < 128 for c in t.text()), t.text())
    t.keys("q")
    t.close()
    t = Terminal(100, 30, NO_COLOR="1")
    t.wait("llama-server")
    colours = re.findall(r"\x1b\[[0-9;]*(?:3[0-7]|4[0-7]|[34]8;5)[0-9;]*m", t.tmux("capture-pane", "-e", "-p"))
    check("NO_COLOR gives no colour", not colours, colours[:5])
    t.keys("q")
    t.close()
    for term in ("xterm", "screen", "linux", "vt100"):
        # ncurses loads the console's mouse library for TERM=linux and unloads it with what it holds: a leak nobody can name.
        t = Terminal(80, 24, TERM=term, NCURSES_GPM_TERMS="none")
        check(f"TERM={term} works", t.wait("llama-server") and "Quit" in t.lines()[-1], t.text())
        t.keys("q")
        check(f"TERM={term} is left clean", t.wait("status=0") and bool(wait_for(lambda: t.modes() == t.before, 2)), t.text())
        t.close()
    t = Terminal(80, 24, TERM="no-such-terminal")
    check("another type stands in for an unknown one", t.wait("llama-server") and "Quit" in t.lines()[-1], t.text())
    t.keys("q")
    check("and is left clean", t.wait("status=0") and t.is_clean(), t.text())
    t.close()
    for term, words in (("dumb", "cannot move its cursor; try --once"), ("unknown", "is not known here; try|cannot move its cursor")):
        t = Terminal(80, 24, TERM=term)
        check(f"TERM={term} is refused, with the remedy", t.wait(words) and t.wait("status=1") and t.is_clean(), t.text())
        t.close()


# As in ncurses 6.4: of the types with direct colours one lacks the second screen, one writes a colour with semicolons.
DIRECT = r"""
xterm+colours, RGB, colors#0x1000000, pairs#0x10000, op=\E[39;49m, initc@, oc@, ccc@,
vte-direct, setaf=\E[%?%p1%{8}%<%t3%p1%d%e38;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m,
	setab=\E[%?%p1%{8}%<%t4%p1%d%e48;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m, use=xterm+colours, use=xterm-256color,
xterm-direct, setaf=\E[%?%p1%{8}%<%t3%p1%d%e38:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m,
	setab=\E[%?%p1%{8}%<%t4%p1%d%e48:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m, smcup@, rmcup@, use=xterm+colours, use=xterm-256color,
"""


def direct_colours():
    """COLORTERM promises direct colours: a type that has them is taken, but none that would leave our frame behind."""
    if shutil.which("tic") is None or shutil.which("infocmp") is None:
        skip("direct colours", "no tic")
        return
    for names, expected in ((("vte-direct", "xterm-direct"), True), (("xterm-direct",), False)):
        with tempfile.TemporaryDirectory() as tmp:
            with open(f"{tmp}/source", "w") as f: f.write(DIRECT + subprocess.run(["infocmp", "xterm-256color"], capture_output=True, text=True).stdout)
            made = subprocess.run(["tic", "-x", "-o", f"{tmp}/types", "-e", ",".join((*names, "xterm-256color")), f"{tmp}/source"], capture_output=True, text=True)
            t = Terminal(100, 30, TERM="xterm-256color", COLORTERM="truecolor", TERMINFO=f"{tmp}/types", TERMINFO_DIRS=f"{tmp}/types")
            shown = t.wait("llama-server")
            colours = set(re.findall(r"38;([25]);", t.tmux("capture-pane", "-e", "-p")))
            check(f"{names}: {'direct colours' if expected else '256 colours'}, on the second screen", shown and t.alternate() and colours == {"2" if expected else "5"}, f"{colours} {made.stderr}\n{t.text()}")
            t.keys("q")
            check(f"{names}: it leaves a clean terminal", t.wait("status=0") and t.is_clean(), t.text())
            t.close()


if shutil.which("tmux") is None:
    skip("the live screen", "no tmux")
else:
    sizes()
    keys()
    long_words()
    charts()
    memory_map()
    mouse()
    replies()
    endings()
    choices()
    terminals()
    direct_colours()
done()
