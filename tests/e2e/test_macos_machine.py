#!/usr/bin/env python3
"""macOS on any machine: the footprint helper over a stand-in for /usr/bin/footprint, recorded Macs that are damaged,
and what the program says of itself on them. usage: test_macos_machine.py PROGRAM CASES"""
import json, os, stat, subprocess, sys, tempfile, time

from tap import check, done, environment, run, snapshots

PROGRAM, CASES = sys.argv[1:3]

# What the stand-in does, by pid.
STAND_IN = """#!/bin/sh
[ "$1" = -p ] && [ "$3" = -f ] && [ "$4" = bytes ] || exit 64
row() { echo "name [$1]: 64-bit    Footprint: 1 B (16384 bytes per page)"; echo "  $2 B   0 B   0 B   3    IOAccelerator (graphics)"; }
case $2 in
1) row 1 1048576 ;;
2) row 2 5; echo "footprint: error" >&2; exit 1 ;;
3) exec sleep 60 ;;
4) while :; do row 4 7; done ;;
5) row 999 7 ;;
6) kill -9 $$ ;;
7) row 7 0 ;;
esac
"""


def helper(tmp):
    tool = f"{tmp}/footprint"
    with open(tool, "w") as f: f.write(STAND_IN)
    os.chmod(tool, stat.S_IRWXU)
    p = subprocess.Popen([PROGRAM, "--helper", "footprint"], env=environment(GPUTASKMAN_FOOTPRINT=tool), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(line):
        p.stdin.write(line + "\n"); p.stdin.flush()
        return list(iter(lambda: p.stdout.readline().rstrip("\n"), "end"))

    check("each process is measured, and one that has nothing has 0", ask("footprint 1 7") == ["1 1048576", "7 0"])
    check("a failed one does not hide the others", ask("footprint 2 5 6 1") == ["2 -", "5 -", "6 -", "1 1048576"])
    began = time.monotonic()
    answer = ask("footprint 3 4 1")
    took = time.monotonic() - began
    check("one that hangs and one that never ends are given up in time", answer == ["3 -", "4 -", "1 1048576"] and took < 15, f"{answer} {took:.1f} s")
    check("a request that makes no sense has no answer", ask("footprint x") == [] and ask("pids 1") == [])
    p.stdin.close()
    check("it ends with its input", p.wait(timeout=5) == 0)
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    check("nothing it started is left behind", tool not in left)


def missing(tmp):
    p = subprocess.run([PROGRAM, "--helper", "footprint"], env=environment(GPUTASKMAN_FOOTPRINT=f"{tmp}/none"), input="footprint 1\n", capture_output=True, text=True, timeout=20)
    check("without the tool nothing is known", p.stdout == "1 -\nend\n", p.stdout)


def recorded(tmp, text):
    with open(f"{tmp}/input.json", "w") as f: f.write(text)
    return run([PROGRAM, "--json"], GPUTASKMAN_RECORDED=tmp)


def damaged(tmp):
    for what, text in (("no JSON", "{"), ("no object", "[]"), ("no samples", '{"samples": []}'), ("no time", '{"samples": [{}]}'),
                       ("a clock that goes back", '{"samples": [{"t_ns": 5}, {"t_ns": 4}]}')):
        rc, out, err = recorded(tmp, text)
        check(f"{what} is one line", rc == 1 and out == "" and err.count("\n") == 1 and "input.json" in err and ":-1" not in err and not err.endswith(": \n"), f"{rc} {err}")
    rc, out, err = recorded(tmp, '{"samples": [{"t_ns": 1, "gpus": []}]}')
    check("a Mac without a GPU says where it was looked for", rc == 3 and "/sys" not in err and "/proc" not in err and "IOKit" in err, f"{rc} {err}")
    wild = {"t_ns": 1, "gpus": [{"registry_id": 9, "model": "\u001b[31mRed\u202e", "clients_status": "ok", "performance_statistics": {"Device Utilization %": 10},
                                 "clients": [{"registry_id": 1, "status": "ok", "creator": "pid 7, \u001b]0;x\u0007", "app_usage": []}]}], "processes": [], "footprints": [{"pid": 7, "format": "text", "exit": 0, "file": "../../../etc/passwd"}]}
    with open(f"{tmp}/input.json", "w") as f: json.dump({"host": {}, "samples": [wild, dict(wild, t_ns=10**9)]}, f)
    rc, out, err = run([PROGRAM, "--once"], GPUTASKMAN_RECORDED=tmp)
    channel = {"group": "Energy Model", "channel": "GPU Energy", "unit": "mJ"}
    power = lambda **more: {"status": "ok", "elapsed_ns": 10**9, "channels": [dict(channel, **more)]}
    for what, more, watts in (("told", {"delta": 2000}, 2), ("told as 0", {"delta": 0}, 0), ("not told", {}, None), ("told in words", {"delta": "2000"}, None)):
        with open(f"{tmp}/input.json", "w") as f: json.dump({"host": {}, "samples": [dict(wild, t_ns=n, power=power(**more)) for n in (1, 10**9)]}, f)
        _, told, err2 = run([PROGRAM, "--json"], GPUTASKMAN_RECORDED=tmp)
        check(f"energy that is {what}", json.loads(told)["adapters"][0]["power_watts"] == watts, told + err2)
    check("names are safe for a terminal", rc == 0 and "\x1b" not in out and "\u202e" not in out and "\x07" not in out and "Red" in out, out)


def words():
    folder = f"{CASES}/macos/m3pro-two-clients-per-process"
    for argv in (["--once"], ["--list-gpus"], ["inspect", "4245"]):
        rc, out, err = run([PROGRAM, *argv], GPUTASKMAN_RECORDED=folder)
        check(f"{argv[0]} says nothing of Linux", rc == 0 and not any(w in out + err for w in ("/proc", "/sys/", "Linux", "fdinfo", "nvidia", "DRM")), out + err)
    rc, out, err = run([PROGRAM, "record", "--count", "2", "-o", "-"], GPUTASKMAN_RECORDED=folder)
    lines = snapshots(out)
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as f:
        f.write(out); f.flush()
        rc, out, err = run([PROGRAM, "summary", f.name])
        check("a recording of a Mac is summed up", rc == 0 and "Apple M3 Pro" in out and "python3.12" in out, out + err)
    check("the source of the memory is named", [p["gpus"][0]["memory_source"] for p in lines[-1]["processes"] if p["pid"] == 4245] == ["footprint"])
    check("sources name Metal alone", [s["name"] for s in lines[-1]["sources"]] == ["metal"], lines[-1]["sources"])


with tempfile.TemporaryDirectory() as tmp: helper(tmp)
with tempfile.TemporaryDirectory() as tmp: missing(tmp)
with tempfile.TemporaryDirectory() as tmp: damaged(tmp)
words()
done()
