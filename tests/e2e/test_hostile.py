#!/usr/bin/env python3
"""Names that mean harm, through the real program: escape sequences, bidi, combining, wide and invisible characters,
invalid UTF-8 and 64 KiB of them, in the name, the command line, the model and the container of processes and in the name
of a GPU. Nothing of them acts on a terminal, and no line of the screen or of a text loses its form.
usage: test_hostile.py PROGRAM CASES FAKE_NVML"""
import json, os, re, shutil, sys, tempfile, unicodedata

import screens, tap, terminal
from tap import done, run, skip, wait_for

PROGRAM, CASES, FAKE_NVML = map(os.path.abspath, sys.argv[1:4])
NAMES = {
    "escapes": b"\x1b[2J\x1b[31mred\x1b]0;owned\x07", "c1": b"\xc2\x9b31mc1\xc2\x9d0;owned\xc2\x9c", "lines": b"a\nb\rc\td\x08e\x7ff", "invalid": b"\xff\xfe\xc3(\xe2\x82ok",
    "overlong": b"\xc0\x9b[31m\xed\xa0\x80\xf4\x90\x80\x80", "override": "ab\u202efedcba\u202c".encode(), "isolates": "\u2066x\u2067y\u2068z\u2069\u200f\u061c".encode(),
    "marks": ("e" + "\u0301" * 300).encode(), "alone": ("\u0301" * 40).encode(), "wide": "日本語モデル大言語".encode(), "family": "👩\u200d👩\u200d👧\u200d👦 🏳\ufe0f\u200d🌈 🇩🇪".encode(),
    "hidden": "a\u00adb\ufeffc\u2028d\u2029e\U000e0041f\u3164g".encode(), "scripts": "नमस्ते ไทย مرحبا שלום 각".encode(), "long": b"A" * 65536, "long wide": "語".encode() * 21845,
    "long marks": b"x" + "\u0336".encode() * 32768, "percent": b"%s%n%1000000d", "empty": b"", "blank": b"   ",
}
# What a terminal may act on, or what changes how wide a line is: controls, format characters, lone surrogates, line
# ends. A soft hyphen is a hyphen there.
UNSAFE = ("Cc", "Cf", "Cs", "Zl", "Zp")


def check(what, ok, detail=""): return tap.check(what, ok, str(detail).replace("\n", "\n# "))
def unsafe(text, but=""): return sorted({f"U+{ord(c):04X}" for c in text if unicodedata.category(c) in UNSAFE and c not in "\n\u00ad" + but})


def width(line):
    """Columns, as terminals count them."""
    return sum(0 if unicodedata.category(c) in ("Mn", "Me") or "\u1160" <= c <= "\u11ff" else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def machine(tmp):
    """A process for each name, all with a GPU client of their own."""
    env = screens.MACHINES["llm"](CASES, FAKE_NVML, tmp)
    for n, folder in enumerate(env["GPUTASKMAN_SYSROOT"].split(":")):
        proc = f"{folder}/proc"
        for i, name in enumerate(NAMES.values()):
            # The kernel keeps 15 bytes of a name; the rest has no such end.
            pid, short = 5000 + i, name[:15]
            own = f"{proc}/{pid}"
            shutil.copytree(f"{proc}/4242", own, symlinks=True)
            fdinfo = open(f"{own}/fdinfo/11").read().replace("drm-client-id:\t73", f"drm-client-id:\t{800 + i}").replace("9437196 KiB", f"{300 - i} MiB")
            with open(f"{own}/fdinfo/11", "w") as f: f.write(fdinfo)
            if not os.path.exists(f"{own}/cmdline"): continue
            with open(f"{own}/comm", "wb") as f: f.write(short + b"\n")
            with open(f"{own}/cmdline", "wb") as f: f.write(b"\0".join((b"/opt/" + name, b"--model", b"/models/" + name + b".gguf", b"--alias", name)) + b"\0")
            with open(f"{own}/cgroup", "wb") as f: f.write(b"0::/system.slice/docker-" + name + b".scope\n")
            stat = open(f"{own}/stat", "rb").read().replace(b"4242", str(pid).encode())
            with open(f"{own}/stat", "wb") as f: f.write(stat.replace(b"llama-server", short))
            status = open(f"{own}/status", "rb").read().replace(b"4242", str(pid).encode())
            with open(f"{own}/status", "wb") as f: f.write(status.replace(b"llama-server", short.replace(b"\\", b"\\\\").replace(b"\n", b"\\n")))
    return env | {"TZ": "UTC", "XDG_CONFIG_HOME": f"{tmp}/config"}


def texts(tmp):
    env = machine(tmp)
    for locale in ("C.UTF-8", "C"):
        for arguments in (["--once"], ["--once", "--all"], ["--list-gpus"], ["--json"]):
            rc, _, err = run([PROGRAM, *arguments], LC_ALL=locale, **env)
            raw = tap.subprocess.run([PROGRAM, *arguments], env=tap.environment(**(env | {"LC_ALL": locale})), capture_output=True, timeout=60).stdout
            words = f"{' '.join(arguments)} in {locale}"
            try: out = raw.decode()
            except UnicodeDecodeError as e: out = check(f"{words}: valid UTF-8", False, e) and ""
            # JSON keeps what it is told, the joiner of an emoji too; what acts on a terminal is escaped.
            found = unsafe(out, "\u200d" if arguments == ["--json"] else "")
            check(f"{words}: nothing that acts on a terminal", rc == 0 and out and not found, found)
            if arguments[0] == "--json":
                found = {p["pid"] for p in json.loads(out)["processes"]}
                check(f"{words}: every process is there", found >= {5000 + i for i in range(len(NAMES))}, found)
            elif locale == "C": check(f"{words}: ASCII alone", out.isascii(), [c for c in out if ord(c) > 127][:9])
            if arguments[0] == "--once":
                ends = {width(line[:m.end()]) for line in out.split("\n") if (m := re.match(r" *50\d\d .*? (\d+\.\d [KMG])(?= |$)", line))}
                check(f"{words}: the sizes stand in one column", len(ends) == 1, f"{ends}\n{out}")


def whole(t, w, h, what, last="Quit"):
    lines = wait_for(lambda: len(t.lines()) == h and re.search(last, t.lines()[-1]) and t.lines()) or t.lines()
    text = "\n".join(lines)
    check(f"{what}: nothing scrolled, nothing wraps, nothing acts", len(lines) == h and lines[0].lstrip().startswith("gputaskman") and re.search(last, lines[-1])
          and all(width(line) <= w for line in lines) and not unsafe(text), f"{unsafe(text)}\n{text}")
    return lines


def screen(tmp, w, h):
    t = terminal.Terminal(PROGRAM, 120, 40, "-i", "0.2", **machine(tmp))
    t.wait("00:00:0[12]\n", 20)
    t.resize(w, h)
    title = t.tmux("display", "-p", "#{pane_title}")
    lines = whole(t, w, h, f"{w}x{h}")
    for i, name in enumerate(NAMES):
        if w != 80 and name not in ("escapes", "marks", "family", "long"): continue
        # Each is selected, so that the foot, the status line and the inspector speak of it.
        t.keys("/", "C-u"); t.type(str(5000 + i)); t.keys("Enter")
        wait_for(lambda: re.search(rf"(?m)^▸ +{5000 + i}", t.text()))
        lines = whole(t, w, h, f"{w}x{h} {name}")
        ends = {width(line[:m.end()]) for line in lines if (m := re.match(r"[▸ ] +50\d\d .*? (\d+\.\d [KMG])(?= |$)", line))}
        check(f"{w}x{h} {name}: the sizes stand in one column", len(ends) == 1, "\n".join(lines))
        if w == 80:
            t.keys("Enter")
            t.wait("Inspector")
            lines = whole(t, w, h, f"{w}x{h} {name}, inspector")
            check(f"{w}x{h} {name}, inspector: its frame is whole", all(line.endswith(("│", "┐", "┘")) and width(line) == w for line in lines[1:-1]), "\n".join(lines))
            t.keys("Escape")
            wait_for(lambda: "Inspector" not in t.text())
    for keys, words in ((["m", "Home"], "GiB|MiB"), (["Escape", "e"], "Events"), (["Escape", "t"], "PID"), (["t", "k"], "signals|recorded")):
        t.keys(*keys)
        t.wait(words)
        # The line of a low screen's keys is also that of the segment.
        whole(t, w, h, f"{w}x{h} {' '.join(keys)}", "GiB|MiB" if h < 14 and keys[0] == "m" else "Quit|signals")
    check(f"{w}x{h}: the title of the terminal is its own", t.tmux("display", "-p", "#{pane_title}") == title)
    t.keys("Escape", "Escape", "q")
    check(f"{w}x{h}: it leaves a clean terminal", t.wait("status=0") and t.is_clean(), t.text())
    t.close()


def gpu(tmp):
    """A driver that names its GPU so."""
    for name in ("escapes", "override", "wide", "long", "marks"):
        text = NAMES[name][:80].decode("utf-8", "replace")
        env = screens.nvml(lambda cases: screens.cards(1)(cases).replace("NVIDIA H100 80GB HBM3", "X" + text))(CASES, FAKE_NVML, tmp)
        for arguments in (["--once"], ["--list-gpus"]):
            rc, out, err = run([PROGRAM, *arguments], **env)
            check(f"a GPU named by {name}, {arguments[0]}", rc == 0 and "X" in out and not unsafe(out), (unsafe(out), err))
        shutil.rmtree(f"{tmp}/machine"); os.remove(f"{tmp}/sample")


for test in (texts, gpu):
    with tempfile.TemporaryDirectory() as tmp: test(tmp)
if shutil.which("tmux") is None:
    skip("hostile names on the screen", "no tmux")
else:
    for w, h in ((80, 24), (120, 40), (40, 10), (300, 100)):
        with tempfile.TemporaryDirectory() as tmp: screen(tmp, w, h)
done()
