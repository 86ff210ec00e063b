#!/usr/bin/env python3
"""The program for Windows on a console: under wine, in a terminal of its own (tmux), and with its output redirected.

usage: test_console.py PROGRAM.EXE CASES DEMO.JSONL [CRASH.EXE]

Wine's console takes the VT mode and does not obey it, so the program draws with the console's own cells here; what a console with VT
is sent is held against curses in tests/console. Wine passes keys on, and the mouse as the characters of its reports; a new size of
the terminal does not reach the program. Skipped without wine and tmux. Standard library only.
"""
import json, os, re, shutil, subprocess, sys, tempfile, time, uuid

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "e2e"))
import tap, terminal
from tap import check, done, skip, wait_for

PROGRAM, CASES, DEMO = (os.path.abspath(path) for path in sys.argv[1:4])
CRASH = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else None
WINE = os.path.join(TOP, "packaging", "windows", "wine.sh")
ENVIRONMENT = {"WINEPREFIX": os.environ.get("WINEPREFIX"), "HOME": os.environ.get("HOME"), "DISPLAY": ""}
RECORDED = {"GPUTASKMAN_RECORDED": f"{CASES}/windows/dgpu-browser-game-llm"}
SLOW = 30.0  # the first program of a prefix starts its services


def Terminal(width, height, *arguments, **more):
    return terminal.Terminal(f"{WINE} {PROGRAM}", width, height, *arguments, **(ENVIRONMENT | more))


def run(*arguments, **more):
    return subprocess.run([WINE, PROGRAM, *arguments], env=tap.environment(**(ENVIRONMENT | more)), stdin=subprocess.DEVNULL, capture_output=True, timeout=120)


def quoted(text): return text.replace("\n", "\n# ")


def changed(before, after):
    return "\n# ".join(f"{a}\n# {b}" for a, b in zip(before.split("\n"), after.split("\n")) if a != b)


def chosen(t):
    """Which of the listed processes is selected, from 0; None: none is."""
    rows = [line for line in t.lines() if re.match(r"[ >] +\d+ user +\w+ ", line)]
    return next((n for n, line in enumerate(rows) if line[0] == ">"), None)


def left_clean(t, what, status, key):
    t.keys(key)
    ended = t.wait(rf"status={status}\b", SLOW)
    check(f"{what} ends with status {status}", ended, quoted(t.text()))
    # The screen is the shell's again: what we drew is gone, the cursor is there, and what is typed is seen.
    clean = wait_for(lambda: t.is_clean() and "gputaskman ·" not in t.text() and t.tmux("display", "-p", "#{cursor_flag}").strip() == "1")
    t.type("echo so${EMPTY}und")
    t.keys("Enter")
    check("and leaves a clean terminal", clean and t.wait(r"^sound$|\nsound\n"), quoted(t.text()))
    t.close()


def live():
    t = Terminal(120, 40, "--demo")
    check("the demo is drawn", t.wait(r"gputaskman · .*demo: a recording", SLOW) and t.wait("q Quit"), quoted(t.text()))
    lines = t.lines()
    check("nothing wraps or scrolls", len(lines) == 40 and lines[0].lstrip().startswith("gputaskman") and all(len(line) <= 120 for line in lines), quoted(t.text()))
    check("boxes and blocks are what they are", "█" in t.text() and "▌" in t.text() and "?" not in lines[2], quoted(t.text()))
    colors = t.tmux("capture-pane", "-p", "-e")
    check("in colours", re.search(r"\x1b\[3[2-6]m", colors) is not None and re.search(r"\x1b\[9\dm", colors) is not None, repr(colors[:300]))
    t.wait("llama-server", SLOW)
    t.keys("p")
    check("p pauses", t.wait("PAUSED"), quoted(t.text()))
    t.keys("PPage")  # wine knows no Home of tmux
    check("PageUp goes to the first process", bool(wait_for(lambda: chosen(t) == 0)), quoted(t.text()))
    t.keys("Down", "Down")
    check("Down goes through the processes", bool(wait_for(lambda: chosen(t) == 2)), quoted(t.text()))
    for opens, words in (("?", "this help"), ("F2", "Setup"), ("S", "Sort by"), ("e", "Events"), ("Enter", "known by")):
        t.keys(opens)
        seen = t.wait(words)
        if opens != "Enter": t.keys("Escape")
        check(f"{opens} opens its page, Escape closes it", seen and (opens == "Enter" or bool(wait_for(lambda: words not in t.text()))), quoted(t.text()))
    t.keys("Escape", "/")
    t.type("mpv")
    check("a search is typed", t.wait("Search: mpv"), quoted(t.text()))
    t.keys("BSpace", "BSpace", "BSpace")
    t.type("é")
    check("in any letters", t.wait("Search: é"), quoted(t.text()))
    t.keys("Escape")
    wait_for(lambda: "Search:" not in t.text())
    heading = next((n for n, line in enumerate(t.lines()) if re.search(r"\bPID\b.*\bNAME\b", line)), 0)
    for last in "Mm": t.type(f"\033[<0;{t.lines()[heading].find('NAME') + 1};{heading + 1}{last}")
    check("a click on a heading sorts by it", t.wait(r"NAME *[v^]"), quoted(t.text()))
    t.keys("?")
    check("Ctrl-Z is not offered", t.wait("this help") and "Ctrl-Z" not in t.text(), quoted(t.text()))
    t.keys("Escape")
    wait_for(lambda: "this help" not in t.text())
    left_clean(t, "q", 0, "q")
    # Wine leaves Ctrl-C to the terminal, which makes a signal of it: what Windows does with Ctrl-Break.
    t = Terminal(80, 24, "--demo")
    t.wait("q Quit", SLOW)
    left_clean(t, "Ctrl-C", 130, "C-c")


def ends():
    """What a user cannot do by a key: the window is closed, the program crashes."""
    # Of a name of its own, so that nothing else in this prefix is meant.
    with tempfile.TemporaryDirectory() as folder:
        name = f"gtm-{uuid.uuid4().hex[:8]}"
        shutil.copy(PROGRAM, f"{folder}/{name}.exe")
        running = lambda: [p for p in os.listdir("/proc") if p.isdigit() and name in command_line(p)]
        t = terminal.Terminal(f"{WINE} {folder}/{name}.exe", 80, 24, "--demo", **ENVIRONMENT)
        shown = t.wait("q Quit", SLOW) and bool(running())
        t.close()
        check("a closed window ends it", shown and bool(wait_for(lambda: not running(), 10)), running())
        if not CRASH:
            skip("a crash gives the console back", "there is no crash.exe")
            return
        t = terminal.Terminal(f"{WINE} {folder}/{name}.exe", 80, 24, "--demo", **ENVIRONMENT)
        shown = t.wait("q Quit", SLOW)
        before = t.text()
        subprocess.run([WINE, CRASH, name], env=tap.environment(**ENVIRONMENT), stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        ended = t.wait(r"status=\d+", SLOW)
        check("a crash gives the console back", shown and ended and "q Quit" in before and wait_for(lambda: "q Quit" not in t.text() and "gputaskman ·" not in t.text()) and
              t.tmux("display", "-p", "#{cursor_flag}").strip() == "1" and t.is_clean(), quoted(t.text()))
        t.close()


def command_line(pid):
    try: return open(f"/proc/{pid}/cmdline", "rb").read().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError: return ""


def recorded():
    t = Terminal(120, 40, **RECORDED)
    check("a recorded Windows machine on the live screen", t.wait(r"gputaskman · .*recorded machine", SLOW) and t.wait("q Quit", SLOW), quoted(t.text()))
    check("with its process and its GPU", t.wait(r"llama-server\.exe|ollama", SLOW) and t.wait("NVIDIA|AMD|Intel"), quoted(t.text()))
    for opens, words in (("?", "this help"), ("F2", "Setup"), ("S", "Sort by"), ("e", "Events"), ("Down", None), ("t", None)):
        t.keys(opens)
        if words:
            t.wait(words)
            t.keys("Escape")
            wait_for(lambda: words not in t.text())
    t.keys("p")
    t.wait("PAUSED")
    time.sleep(1)
    before = t.text()
    t.keys("F2")
    t.wait("Colours")
    for name in ("dark", "light", "mono", "auto"):  # each draws everything anew
        t.keys("Right")
        t.wait(f"Colours +< {name} >")
    t.keys("Escape")
    wait_for(lambda: "Colours" not in t.text())
    time.sleep(1)
    check("what was drawn piece by piece is what is drawn whole", "llama" in before and before.split("\n")[2:-4] == t.text().split("\n")[2:-4], changed(before, t.text()))
    left_clean(t, "q", 0, "q")


def console_text(folder):
    name = f"{folder}/démo 漢.jsonl"
    shutil.copy(DEMO, name)
    t = Terminal(120, 40, "summary", f"'{name}'")
    check("text on a console is UTF-8", t.wait("status=0", SLOW) and "démo 漢.jsonl: " in t.tmux("capture-pane", "-p", "-S", "-200").replace("\n", ""), quoted(t.text()))
    t.close()


def redirected(folder):
    name = f"{folder}/démo 漢.jsonl"
    shutil.copy(DEMO, name)
    p = run("summary", name)
    check("a name in any letters, into a pipe", p.returncode == 0 and f"{name}: ".encode() in p.stdout, p.stdout[:300] + p.stderr[:300])
    p = run("--json", **RECORDED)
    good = p.returncode == 0 and not p.stderr
    try: good = good and json.loads(p.stdout)["schema"] == "gputaskman/1"
    except ValueError: good = False
    check("--json into a pipe: one object in one line, no escape sequences, no carriage returns", good and p.stdout.count(b"\n") == 1 and b"\r" not in p.stdout and b"\033" not in p.stdout, p.stdout[:300] + p.stderr[:300])
    p = run("--once", **RECORDED)
    words = p.stdout.decode("utf-8", "replace")
    check("--once into a pipe: UTF-8, no escape sequences, no carriage returns", p.returncode == 0 and "·" in words and "\ufffd" not in words and not re.search("[\r\033]", words), words[:300])
    p = run("--demo")
    check("the live screen into a pipe is refused with advice", p.returncode == 2 and b"terminal" in p.stderr and not p.stdout, p.stderr[:300])
    p = run("record", "--count", "2", "--interval", "0.1", "-o", f"{folder}/ünï.jsonl", **RECORDED)
    lines = open(f"{folder}/ünï.jsonl", "rb").read() if os.path.exists(f"{folder}/ünï.jsonl") else b""
    check("record writes a file of any name, in lines", p.returncode == 0 and lines.count(b"\n") >= 2 and b"\r" not in lines, p.stderr[:300])
    p = run("summary", f"{folder}/nö.jsonl")
    check("a message names the file as it was typed", p.returncode != 0 and f"{folder}/nö.jsonl".encode() in p.stderr and b"\r" not in p.stderr, p.stderr[:300])
    p = subprocess.run(["sh", "-c", '"$1" "$2" summary "$3" --json; echo status=$? >&2', "sh", WINE, PROGRAM, name], env=tap.environment(**ENVIRONMENT),
                       stdin=subprocess.DEVNULL, stdout=closed_pipe(), stderr=subprocess.PIPE, timeout=120)
    check("a closed pipe ends it quietly", p.stderr == b"status=0\n", p.stderr[:300])


def closed_pipe():
    """The writing end of a pipe that nobody reads."""
    ends = os.pipe()
    os.close(ends[0])
    return ends[1]


def main():
    if not (shutil.which("wine64") or shutil.which("wine") or os.path.exists("/usr/lib/wine/wine64")): skip("a console of Windows", "wine is not installed")
    elif not shutil.which("tmux"): skip("a console of Windows", "tmux is not installed")
    else:
        with tempfile.TemporaryDirectory() as folder:
            redirected(folder)
            console_text(folder)
        live()
        ends()
        recorded()
    done()


main()
