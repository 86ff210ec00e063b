#!/usr/bin/env python3
"""Recordings in the live screen. usage: test_replay.py PROGRAM DEMO"""
import datetime, json, os, re, shutil, subprocess, sys, tempfile

import tap, terminal
from tap import done, run, skip, wait_for

PROGRAM, DEMO = sys.argv[1:3]
START = 1_795_953_600  # 2026-11-29 12:00:00 UTC
EVENTS = {20: "adapter_suspended", 40: "throttle_began", 90: "xid"}
ADAPTER = "pci:0000:03:00.0"


def check(what, ok, detail=""): return tap.check(what, ok, str(detail).replace("\n", "\n# "))


def frame(n, wall=None, running=None, boot="first", events=EVENTS):
    """One line of a recording; its only process is named after its number."""
    at = datetime.datetime.fromtimestamp(START + n if wall is None else wall, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    told = [{"seq": 1 + sorted(events).index(n), "at": at, "kind": events[n], "adapter_id": ADAPTER, "process": None, "bytes": None, "text": f"GPU 0: {events[n]}"}] if n in events else []
    return json.dumps({
        "schema": "gputaskman/1", "version": "0.1.0", "origin": "live", "taken_at": at, "monotonic_seconds": 500 + n if running is None else running,
        "interval_seconds": 1, "mode": "native", "host": {"boot_id": boot},
        "adapters": [{"index": 0, "id": ADAPTER, "name": "AMD Radeon RX 7800 XT", "kind": "discrete", "power_state": "active", "load_percent": n % 100,
                      "memory": {"vram_total_bytes": 16 << 30, "vram_used_bytes": 4 << 30}}],
        "processes": [{"id": "local/4242/100", "pid": 4242, "namespace": "local", "label": "4242", "name": f"frame-{n:04}", "class": "other",
                       "gpus": [{"adapter": 0, "adapter_id": ADAPTER, "vram_bytes": 2 << 30, "load_percent": 5}]}],
        "events": told}, separators=(",", ":")) + "\n"


def write(path, lines):
    with open(path, "w", encoding="utf-8") as f: f.writelines(lines)
    return path


def replay(path, width=110, height=30, **more): return terminal.Terminal(PROGRAM, width, height, "replay", path, **({"TZ": "UTC0"} | more))


def shown(t):
    found = re.search(r"frame-(\d{4})", t.text())
    return int(found.group(1)) if found else None


def at(t, n, seconds=10): return bool(wait_for(lambda: shown(t) == n, seconds))


def type_place(t, words):
    t.keys("@")
    wait_for(lambda: "Go to:" in t.text())
    t.type(words) if not words.startswith("-") else t.tmux("send-keys", "-l", "--", words)
    t.keys("Enter")


def winding(folder):
    t = replay(write(f"{folder}/plain.jsonl", (frame(n) for n in range(200))))
    check("the first snapshot shows", t.wait(r"frame-000\d"), t.text())
    check("it says that it is a replay, and where it is", t.wait(r"replay") and t.wait(r"0:0\d / 3:19"), t.text())
    check("it plays by itself", bool(wait_for(lambda: (shown(t) or 0) >= 2)), t.text())
    t.keys("p")
    check("p stops it", t.wait("PAUSED"), t.text())
    t.keys("^")
    check("^ goes to the start", at(t, 0), t.text())
    t.keys(".", ".", ".")
    check(". steps forward", at(t, 3), t.text())
    t.keys(",")
    check(", steps back", at(t, 2), t.text())
    t.keys(">")
    check("> goes a minute forward", at(t, 62), t.text())
    t.keys("Left", "Left")
    check("Left goes 10 seconds back, each time", at(t, 42), t.text())
    t.keys("Right")
    check("Right goes 10 seconds forward", at(t, 52), t.text())
    t.keys("<")
    check("not before the start", at(t, 0), t.text())
    for burst in range(1, 6):
        t.keys(*["."] * 20)
        check(f"no key is lost, however fast they come ({burst})", at(t, 20 * burst), t.text())
    t.keys("^", ".", ".", ">", ",")
    check("nor the order of different ones", at(t, 61), t.text())
    t.keys("^")
    at(t, 0)
    t.keys("}")
    check("} goes to the next event", at(t, 20) and t.wait("event 1 of 3"), t.text())
    t.keys("}", "}")
    check("and to the ones after it", at(t, 90) and t.wait("GPU 0: xid"), t.text())
    t.keys("}")
    check("there is no later one, which is said", t.wait("no later event") and shown(t) == 90, t.text())
    t.keys("{")
    check("{ goes to the event before", at(t, 40), t.text())
    type_place(t, "12:02:30")
    check("a time of the day", at(t, 150), t.text())
    type_place(t, "-30")
    check("a way back", at(t, 120), t.text())
    type_place(t, "50%")
    check("a share", bool(wait_for(lambda: shown(t) in (99, 100))), t.text())
    type_place(t, "yesterday")
    check("what is no place is said", t.wait("'yesterday' is no place"), t.text())
    t.keys("$")
    check("$ goes to the end", at(t, 199), t.text())
    t.keys("^")
    at(t, 0)
    for _ in range(6): t.keys("+")
    check("+ makes it faster, up to 64 times", t.wait("64x"), t.text())
    t.keys("+", "p")
    check("at 64 times the end comes soon, and is said", at(t, 199, 20) and t.wait("the end"), t.text())
    t.keys("^")
    check("from the end it can be wound back", t.wait(r"frame-0[01]\d\d"), t.text())
    t.keys("p")
    for _ in range(9): t.keys("-")
    check("- makes it slower, down to a quarter", t.wait(r"0.25x"), t.text())
    t.keys("?")
    check("the help has the keys of a replay", t.wait("Help"), t.text())
    t.keys("Escape", "q")
    check("q leaves a clean terminal", t.wait("status=0") and t.is_clean(), t.text())
    t.close()
    check("a short recording leaves no index behind", not os.path.exists(f"{folder}/plain.jsonl.idx"))


def gaps(folder):
    """A night without snapshots, a sleep, a clock that is set back, and another boot: none is waited for."""
    lines = [frame(n) for n in range(5)]
    lines += [frame(n, START + 28800 + n, 28800 + 500 + n) for n in range(5, 10)]
    lines += [frame(n, START + 57600 + n, 28800 + 500 + n) for n in range(10, 15)]
    lines += [frame(n, START + 7200 + n, 28800 + 500 + n) for n in range(15, 20)]
    lines += [frame(n, START + 9000 + n, 20 + n, "second") for n in range(20, 25)]
    t = replay(write(f"{folder}/gaps.jsonl", lines))
    t.wait("frame-")
    t.keys("p")
    for n, words in ((5, "gap of 8 h"), (10, "slept 8 h"), (15, "clock set back"), (20, "after a restart")):
        t.keys("^")
        at(t, 0)
        type_place(t, f"+{n}")
        check(f"{words}, which is said", at(t, n) and t.wait(words), t.text())
    t.keys("^", "p")
    check("it is played over", at(t, 24, 40), t.text())
    t.keys("q")
    t.close()


def endings(folder):
    """Files that are torn, growing, partly damaged, empty, or none."""
    t = replay(write(f"{folder}/torn.jsonl", [frame(0), frame(1), frame(2), frame(3)[:200]]))
    check("a torn last line is left out", at(t, 2, 15) and t.wait("the end") and t.wait("0:02 / 0:02"), t.text())
    t.keys("q")
    t.close()

    grows = write(f"{folder}/grows.jsonl", [frame(0), frame(1), frame(2)[:150]])
    t = replay(grows)
    check("the end, for now", at(t, 1, 15) and t.wait("the end"), t.text())
    with open(grows, "a", encoding="utf-8") as f: f.writelines([frame(2)[150:], frame(3), frame(4)])
    check("what is recorded meanwhile is played", at(t, 4, 20), t.text())
    t.keys("q")
    t.close()

    t = replay(write(f"{folder}/damaged.jsonl", [frame(0), "{\"schema\":\n", frame(1), "\n", frame(2).replace("12:00", "noon"), frame(3)]))
    check("damaged lines are passed over", at(t, 3, 15) and t.wait("the end"), t.text())
    t.keys(",")
    check("backwards too", at(t, 1, 15), t.text())
    t.keys("q")
    t.close()

    for name, content, line in (("first", ["hello\n", frame(0), frame(1)], 1), ("last", [frame(0), frame(1), "hello\n"], 3)):
        t = replay(write(f"{folder}/{name}-bad.jsonl", content))
        check(f"a {name} line that is none is said, with its place", t.wait(f"{name}-bad.jsonl:{line}: this is no snapshot"), t.text())
        t.keys("q")
        t.close()

    for name, content, words in (("empty", [], "holds no snapshot"), ("foreign", ["hello\n"], "holds no snapshot"), ("list", ["[1]\n"], "holds no snapshot")):
        t = replay(write(f"{folder}/{name}.jsonl", content))
        check(f"{name}: one line, status 1", t.wait(words) and t.wait("status=1") and t.is_clean(), t.text())
        t.close()
    t = replay(f"{folder}/missing.jsonl")
    check("a missing file: one line, status 1", t.wait("cannot open") and t.wait("status=1"), t.text())
    t.close()
    status, out, err = run([PROGRAM, "replay"])
    check("no file: wrong usage", status == 2 and "needs one recording" in err, err)
    status, out, err = run([PROGRAM, "replay", f"{folder}/torn.jsonl"])
    check("no terminal: wrong usage, with what helps", status == 2 and "summary" in err, err)


def indexes(folder):
    """The index beside the recording is made once, used, gone on with, and believed in nothing."""
    path = f"{folder}/long.jsonl"
    lines = [frame(n) for n in range(1800)]
    write(path, lines)
    big = os.path.getsize(path)

    def goes_to_the_end(what, last, **more):
        t = replay(path, **more)
        t.wait("frame-")
        t.keys("p", "$")
        ok = at(t, last, 30)
        check(what, ok, t.text())
        t.keys("^")
        at(t, 0)
        t.keys("}", "}")
        check(f"{what}: its events too", at(t, 40, 20), t.text())
        t.keys("q")
        t.wait("status=0")
        t.close()

    if big < 1 << 20: return check("the recording is large enough for an index", False, big)
    goes_to_the_end("a long recording", 1799)
    check("its index is kept beside it", bool(wait_for(lambda: os.path.exists(path + ".idx"))), os.listdir(folder))
    made = open(path + ".idx", "rb").read()
    goes_to_the_end("with its index", 1799)
    check("which is left as it is", open(path + ".idx", "rb").read() == made)
    with open(path, "a", encoding="utf-8") as f: f.writelines(frame(n) for n in range(1800, 1900))
    goes_to_the_end("gone on with when the recording has grown", 1899)
    check("and kept", bool(wait_for(lambda: len(open(path + ".idx", "rb").read()) > len(made))))
    for name, bytes_ in (("empty", b""), ("noise", made[:8] + os.urandom(50000)), ("cut short", made[:-8]), ("of another state", made),
                         ("with absurd counts", made[:136] + b"\xff" * 16 + made[152:])):
        open(path + ".idx", "wb").write(bytes_)
        goes_to_the_end(f"an index that is {name}", 1899)

    second = f"{folder}/long.2.jsonl"
    write(second, (frame(n) for n in range(1900, 2000)))
    goes_to_the_end("gone on with in another part", 1999)
    both = wait_for(lambda: open(path + ".idx", "rb").read())
    goes_to_the_end("with the index of both", 1999)
    check("which is left as it is, too", open(path + ".idx", "rb").read() == both and len(both) > len(made))
    write(second, (frame(n) for n in range(1900, 1990)))
    goes_to_the_end("an index of another part", 1989)
    os.remove(second)
    goes_to_the_end("an index of a part that is gone", 1899)

    os.remove(path + ".idx")
    os.mkdir(path + ".idx")
    goes_to_the_end("an index that cannot be written", 1899)
    os.rmdir(path + ".idx")


def compressed(folder):
    if shutil.which("zstd") is None: return skip("a compressed recording", "no zstd")
    path = write(f"{folder}/c.jsonl", (frame(n) for n in range(120)))
    subprocess.run(["zstd", "-q", path], check=True)
    t = replay(path + ".zst")
    t.wait("frame-")
    t.keys("p", "$")
    check("a compressed recording: the end", at(t, 119), t.text())
    t.keys("<")
    check("and back", at(t, 59), t.text())
    t.keys("q")
    t.close()


def parts(folder):
    """A recording in parts is played as one; each snapshot says how long after the one before it was taken."""
    for kind in (".jsonl", *[".jsonl.zst"] * bool(shutil.which("zstd"))):
        names = [f"{folder}/night{part}{kind}" for part in ("", ".2", ".3")]
        for i, name in enumerate(names):
            write(name, [frame(n) for n in range(40 * i, 40 * i + 40)])
            if kind.endswith("zst"): os.rename(name, name + ".plain"), subprocess.run(["zstd", "-q", name + ".plain", "-o", name], check=True)
        last = [names.pop()]
        os.rename(last[0], last[0] + ".later")
        t = replay(names[0])
        check(f"{kind}: it begins in the first part", t.wait(r"frame-00\d\d"), t.text())
        t.keys("p", "$")
        check(f"{kind}: its end is that of the last part", at(t, 79), t.text())
        t.keys("{")
        check(f"{kind}: back to an event in the first", at(t, 40) or at(t, 20), t.text())
        t.keys("^")
        check(f"{kind}: its start is that of the first", at(t, 0), t.text())
        t.keys("}", "}")
        check(f"{kind}: and its events are of all", at(t, 40), t.text())
        os.rename(last[0] + ".later", last[0])
        t.keys("$", "p")
        check(f"{kind}: a part that comes meanwhile is played", at(t, 119, 60), t.text())
        t.keys("q")
        t.wait("status=0")
        t.close()
        t = replay(names[1])
        t.keys("p", "^")
        check(f"{kind}: a later part can be played alone", at(t, 40), t.text())
        t.keys("q")
        t.close()


def sizes(folder):
    for width, height in ((80, 24), (40, 10)):
        t = replay(f"{folder}/plain.jsonl", width, height)
        ok = t.wait("frame-")
        t.keys("p")
        lines = t.lines()
        check(f"{width}x{height}: where it is stands below the header", ok and re.match(r" (>|\|\|) 1x +12:00:\d\d", lines[1]) and "Quit" in lines[-1], t.text())
        check(f"{width}x{height}: nothing wraps", len(lines) == height and all(len(line) <= width for line in lines), t.text())
        t.keys("q")
        t.close()
    t = replay(f"{folder}/plain.jsonl", 100, 30, LC_ALL="C")
    check("the C locale gives ASCII", t.wait("frame-") and all(ord(c) < 128 for c in t.text()), t.text())
    t.keys("q")
    t.close()


def demo():
    """The built-in recording shows something of everything within a minute, and says what it is."""
    lines = [json.loads(line) for line in open(DEMO, encoding="utf-8")]
    last = lines[-1]
    check("the demo is small", os.path.getsize(DEMO) <= 300_000, os.path.getsize(DEMO))
    check("every line says that it is one", all(line["origin"] == "demo" for line in lines))
    check("it takes at most a minute", last["monotonic_seconds"] - lines[0]["monotonic_seconds"] <= 60)
    check("two GPUs", all(len(line["adapters"]) == 2 for line in lines))
    classes = {p["class"] for line in lines for p in line["processes"]}
    check("kinds of work", {"llm", "training", "browser", "compositor", "game", "video"} <= classes, classes)
    kinds = {e["kind"] for line in lines for e in line.get("events", [])}
    check("things happen", {"process_started", "process_exited", "model_loaded", "spill_began", "spill_ended", "out_of_memory_risk"} <= kinds, kinds)
    if shutil.which("tmux") is None: return
    t = terminal.Terminal(PROGRAM, 120, 40, "--demo")
    check("the screen says that it is a demo", t.wait("demo: a recording, not this machine") and t.wait("kwin_wayland"), t.text())
    check("a server starts", t.wait("llama-server", 20), t.text())
    t.keys("}")
    check("the keys of a replay are not there", "event" not in t.lines()[1] and t.wait("llama-server"), t.text())
    t.keys("q")
    t.close()


demo()
if shutil.which("tmux") is None:
    skip("recordings in the live screen", "no tmux")
else:
    with tempfile.TemporaryDirectory() as made:
        winding(made)
        gaps(made)
        endings(made)
        indexes(made)
        compressed(made)
        parts(made)
        sizes(made)
done()
