#!/usr/bin/env python3
"""The command line from outside. usage: test_cli.py PROGRAM FAKE_NVML CASES"""
import os, re, shutil, signal, subprocess, sys, tempfile, time

from tap import check, done, environment, run, skip, snapshots, wait_for

PROGRAM, FAKE_NVML, CASES = sys.argv[1:4]
CASE = f"{CASES}/drm/amd-rdna3-private-client/frame0"
RECORDED = {"GPUTASKMAN_SYSROOT": f"{CASE}:{CASE}", "GPUTASKMAN_SAMPLE_TIMES": "100,101", "GPUTASKMAN_NVML": "/nonexistent"}


def usage():
    rc, out, err = run([PROGRAM, "--help"])
    check("--help answers on standard output", rc == 0 and "--json" in out and not err)
    wide = [line for line in out.split("\n") if len(line) > 79]
    check("--help fits into 80 columns", not wide, wide)
    rc, out, err = run([PROGRAM, "--version"])
    check("--version says version, commit, build and backends",
          rc == 0 and re.match(r"gputaskman \d+\.\d+\.\d+ \(commit ([0-9a-f]+(-dirty)?|unknown)\)\nbuilt for \w+ .*\nwith .*jansson.*\nbackends:.* drm.* nvml.*\n$", out), out)
    for argv in (["--nonsense"], ["nonsense"], ["-i", "0.01", "--once"], ["-i", "x", "--json"], ["--interval"], ["-p", "x", "--json"],
                 ["-p", " 1", "--json"], ["-p", "+1", "--json"], ["-p", "0", "--json"], ["--sort", "nonsense", "--json"], ["--sort", "nonsense", "--once"],
                 ["--theme", "nonsense", "--json"], ["--demo", "--once"], ["--list-gpus", "--json"], ["--once", "--list-gpus"], ["-g", "", "--once"], ["record", "-o", ""],
                 ["record", "--count", "0"], ["record", "--count", "-1"], ["--once=3"], ["record", "--json"], ["--helper", "nonsense"]):
        rc, out, err = run([PROGRAM, *argv])
        check(f"{' '.join(argv)}: wrong usage, one line", rc == 2 and not out and len(err.splitlines()) == 1, f"{rc} {out} {err}")
    rc, out, err = run([PROGRAM], **RECORDED)
    check("the live screen refuses a pipe with the remedy", rc == 2 and "--once" in err and not out, f"{rc} {err}")


def pictures():
    rc, out, err = run([PROGRAM, "--json"], **RECORDED)
    check("--json prints one object", rc == 0 and len(snapshots(out)) == 1 and not err, f"{rc} {err}")
    rc, out, err = run([PROGRAM, "--once"], **RECORDED)
    check("--once names the GPU, the process and its memory", rc == 0 and "7800" in out and "llama-server" in out and "9.0" in out, out)
    check("--once holds no escape sequence", "\x1b" not in out and "\r" not in out)
    check("--once says that the machine is recorded", "recorded machine" in out, out[:200])
    rc, out, err = run([PROGRAM, "--once", "--ascii"], **RECORDED)
    check("--ascii is ASCII", rc == 0 and all(ord(c) < 128 for c in out))
    rc, out, err = run([PROGRAM, "--once"], **(RECORDED | {"LC_ALL": "C"}))
    check("so is the C locale", rc == 0 and all(ord(c) < 128 for c in out))
    rc, out, err = run([PROGRAM, "--list-gpus"], **RECORDED)
    check("--list-gpus lists index, id and name", rc == 0 and "pci:0000:03:00.0" in out and "7800" in out, out)
    for selector, found in (("0", True), ("03:00.0", True), ("0000:03:00.0", True), ("7800", True), ("radeon", True), ("7", False), ("nonsense", False), ("", False)):
        rc, out, err = run([PROGRAM, "--json", "-g", selector], **RECORDED)
        check(f"-g '{selector}' {'matches' if found else 'is wrong usage'}", rc == (0 if found else 2) and (bool(out) == found), f"{rc} {err}")
    rc, out, err = run([PROGRAM, "--json", "-p", "4242"], **RECORDED)
    check("-p keeps one process", rc == 0 and [p["pid"] for p in snapshots(out)[0]["processes"]] == [4242])
    rc, out, err = run([PROGRAM, "--json", "-p", "4301"], **RECORDED)
    shown = snapshots(out)[0]
    check("-p chooses what is listed, not what is summed", rc == 0 and not shown["processes"] and shown["adapters"][0]["memory"]["attributed_bytes"] > 0)


def selection():
    """A selection of other GPUs never starts NVML; what only NVML may know does."""
    with tempfile.TemporaryDirectory() as tmp:
        tree, function = f"{tmp}/tree", f"{tmp}/tree/sys/bus/pci/devices/0000:0a:00.0"
        shutil.copytree(CASE, tree, symlinks=True)
        os.makedirs(function)
        for name, text in {"vendor": "0x10de", "device": "0x2684", "class": "0x030000", "revision": "0xa1"}.items(): open(f"{function}/{name}", "w").write(text + "\n")
        open(f"{tmp}/scenario", "w").write("device 0\n name NVIDIA GeForce RTX 4090\n uuid GPU-0000\n pci 00000000:0a:00.0\n mem_total 24564MiB\n mem_used 1GiB\n")
        env = RECORDED | {"GPUTASKMAN_SYSROOT": tree, "GPUTASKMAN_NVML": FAKE_NVML, "FAKE_NVML_SCENARIO": f"{tmp}/scenario", "FAKE_NVML_TRACE": f"{tmp}/trace"}
        for argv, starts in (([], True), (["-g", "radeon"], False), (["-g", "0"], False), (["-g", "03:00.0"], False), (["-g", "1"], True), (["-g", "0a:00.0"], True), (["-g", "GPU-0000"], True), (["-g", "radeon", "-g", "4090"], True)):
            rc, out, err = run([PROGRAM, "--json", *argv], **env)
            called = os.path.exists(f"{tmp}/trace") and os.path.getsize(f"{tmp}/trace") > 0
            if called: os.remove(f"{tmp}/trace")
            state = [s["state"] for s in snapshots(out)[0]["sources"] if s["name"] == "nvml"] if rc == 0 else None
            check(f"{' '.join(argv) or 'no selection'}: NVML is {'asked' if starts else 'left alone'}", rc == 0 and called == starts and state == ["ok" if starts else "off"], f"{rc} {called} {state} {err}")


def no_gpu():
    with tempfile.TemporaryDirectory() as empty:
        os.makedirs(f"{empty}/proc")
        env = {"GPUTASKMAN_SYSROOT": empty, "GPUTASKMAN_NVML": "/nonexistent", "GPUTASKMAN_SAMPLE_TIMES": "1,2"}
        for argv in (["--once"], ["--json"], ["--list-gpus"], ["record", "--count", "1", "-o", "-"]):
            rc, out, err = run([PROGRAM, *argv], **env)
            check(f"{argv[0]} without a GPU: status 3, what was looked for, --demo", rc == 3 and "/sys/class/drm" in err and "libnvidia-ml" in err and "--demo" in err, f"{rc} {err}")


def unusable_library():
    """GPUTASKMAN_NVML names what is no library: said at once, and nothing else is kept waiting."""
    with tempfile.TemporaryDirectory() as tmp:
        os.mkfifo(f"{tmp}/pipe")
        open(f"{tmp}/text", "w").write("hello")
        open(f"{tmp}/empty", "w")
        for name, state in (("pipe", "absent"), ("", "absent"), ("nothing", "absent"), ("text", "absent"), ("empty", "absent")):
            began = time.monotonic()
            rc, out, err = run([PROGRAM, "--json"], **(RECORDED | {"GPUTASKMAN_NVML": f"{tmp}/{name}"}))
            got = [s["state"] for s in snapshots(out)[0]["sources"] if s["name"] == "nvml"] if rc == 0 else None
            check(f"a library that is {name or 'a folder'}: {state}", rc == 0 and got == [state] and time.monotonic() - began < 5, f"{rc} {got} {err}")


def outputs():
    with open("/dev/full", "w") as full:
        p = subprocess.run([PROGRAM, "--json"], env=environment(**RECORDED), stdout=full, stderr=subprocess.PIPE, text=True, timeout=30)
    check("a full disk is said", p.returncode == 1 and "No space" in p.stderr and len(p.stderr.splitlines()) == 1, p.stderr)
    rc, out, err = run([PROGRAM, "record", "--count", "2", "-o", "/dev/full"], **RECORDED)
    check("record to a full device fails with words", rc == 1 and "No space" in err, f"{rc} {err}")
    rc, out, err = run([PROGRAM, "record", "--count", "1", "-o", "/nonexistent/x"], **RECORDED)
    check("record to where nothing can be: the remedy", rc == 1 and "-o" in err, f"{rc} {err}")
    for argv in (["--json"], ["--once"], ["record", "--count", "20", "-o", "-"]):
        read, write = os.pipe()
        p = subprocess.Popen([PROGRAM, *argv], env=environment(**RECORDED), stdout=write, stderr=subprocess.PIPE, text=True)
        os.close(write), os.close(read)
        err = p.communicate(timeout=30)[1]
        check(f"{argv[0]} into a closed pipe ends quietly", p.returncode == 0 and not err, f"{p.returncode} {err}")
    with tempfile.TemporaryDirectory() as tmp:
        path = f"{tmp}/r.jsonl"
        for expected in (2, 4):
            rc, out, err = run([PROGRAM, "record", "--count", "2", "-o", path], **RECORDED)
            check("record appends whole lines", rc == 0 and not out and len(snapshots(open(path).read())) == expected, f"{rc} {err}")
        rc, out, err = run([PROGRAM, "record", "--count", "2", "-o", path, "-g", "nonsense"], **RECORDED)
        check("record refuses a -g that matches nothing, and adds nothing", rc == 2 and "--list-gpus" in err and len(snapshots(open(path).read())) == 4, f"{rc} {err}")
        whole = open(path).read()
        for torn in ("{", whole.splitlines()[0][:-1], '{"schema":"gputaskman/1","version'):
            open(path, "w").write(whole + torn)
            rc, out, err = run([PROGRAM, "record", "--count", "1", "-o", path], **RECORDED)
            check("record cuts off a torn last line, and says so", rc == 0 and "torn" in err and len(err.splitlines()) == 1 and len(snapshots(open(path).read())) == 5, f"{rc} {err}")
        for other in (whole + "hello", "a letter", '{"schema":"other'):
            open(f"{tmp}/other", "w").write(other)
            rc, out, err = run([PROGRAM, "record", "--count", "1", "-o", f"{tmp}/other"], **RECORDED)
            check("what else ends within a line is left as it is", rc == 1 and "-o" in err and open(f"{tmp}/other").read() == other, f"{rc} {err}")
        open(path, "w").write(whole)
        several = [subprocess.Popen([PROGRAM, "record", "--count", "20", "-o", path], env=environment(**RECORDED)) for _ in range(3)]
        check("several recordings into one file", all(p.wait(timeout=60) == 0 for p in several) and len(snapshots(open(path).read())) == 64)
        check("a recording is private", os.stat(path).st_mode & 0o777 == 0o600)
    closed_streams()
    few_of_everything()
    small_disk()


def shell(command, **more): return run(["sh", "-c", command.replace("PROGRAM", f"'{PROGRAM}'")], **(RECORDED | more))


def closed_streams():
    """A stream that is closed at the start: nothing of ours takes its number, and nothing that was meant for it lands there."""
    with tempfile.TemporaryDirectory() as tmp:
        rc, out, err = shell(f"PROGRAM record --count 2 -o {tmp}/r.jsonl -g nonsense <&- >&- 2>&-")
        check("errors never land in a recording", rc == 2 and open(f"{tmp}/r.jsonl").read() == "", f"{rc}")
        rc, out, err = shell(f"PROGRAM record --count 2 -o {tmp}/r.jsonl <&- >&- 2>&-")
        check("record works without standard streams", rc == 0 and len(snapshots(open(f"{tmp}/r.jsonl").read())) == 2, f"{rc}")
        scenario = f"{tmp}/scenario"
        open(scenario, "w").write("device 0\n name T\n uuid GPU-0000\n pci 00000000:0a:00.0\n mem_total 16GiB\n mem_used 1GiB\n")
        rc, out, err = shell(f"PROGRAM record --count 1 -o {tmp}/n.jsonl <&- >&- 2>&-", GPUTASKMAN_NVML=FAKE_NVML, FAKE_NVML_SCENARIO=scenario, GPUTASKMAN_SYSROOT="/")
        check("so does the helper", rc == 0 and snapshots(open(f"{tmp}/n.jsonl").read())[0]["adapters"][0]["uuid"] == "GPU-0000", f"{rc}")
    for argv in ("--json", "--once", "--list-gpus", "--help", "record --count 1 -o -", "inspect 4242"):
        rc, out, err = shell(f"PROGRAM {argv} >&-")
        check(f"{argv}: a closed standard output is an error", rc == 1 and "Bad file descriptor" in err and len(err.splitlines()) == 1, f"{rc} {err}")


def few_of_everything():
    """Low limits (ulimit): an error in words, or all the figures."""
    with tempfile.TemporaryDirectory() as tmp:
        rc, out, err = shell(f"ulimit -f 0; PROGRAM record --count 2 -o {tmp}/r.jsonl")
        check("a file that may not grow is said", rc == 1 and "File too large" in err and os.path.getsize(f"{tmp}/r.jsonl") == 0, f"{rc} {err}")
    rc, out, err = shell("ulimit -n 5; PROGRAM --json")
    check("too few descriptors are said", rc == 1 and not out and "open files" in err and len(err.splitlines()) == 1, f"{rc} {err}")
    for few in (24, 32, 64):
        rc, out, err = shell(f"ulimit -n {few}; PROGRAM --json")
        got = snapshots(out)[0] if rc == 0 else {"adapters": [], "processes": []}
        check(f"{few} descriptors are enough", rc == 0 and got["adapters"][0]["temperatures_celsius"]["edge"] is not None and [p["pid"] for p in got["processes"]] == [4242], f"{rc} {err}")


def small_disk():
    """A file system that fills up in the middle of a line."""
    if os.geteuid() != 0:
        skip("a disk that fills up while recording", "needs root to mount a small disk")
        return
    with tempfile.TemporaryDirectory() as tmp:
        script = f'mount -t tmpfs -o size=64k small "{tmp}" && "{PROGRAM}" record --count 100 -o "{tmp}/r.jsonl"; status=$?; cp "{tmp}/r.jsonl" "{tmp}-copy"; exit $status'
        rc, out, err = run(["unshare", "-m", "sh", "-c", script], **RECORDED)
        if not os.path.exists(f"{tmp}-copy"):
            skip("a disk that fills up while recording", "no mount namespace here")
            return
        text = open(f"{tmp}-copy").read()
        os.remove(f"{tmp}-copy")
        check("a disk that fills up: what was written is whole", rc == 1 and text.endswith("\n") and 0 < len(snapshots(text)) < 100, f"{rc} {err} {len(text)}")


def pipes():
    """A pipe that nobody reads, or reads slowly: never waited for beyond a signal."""
    with tempfile.TemporaryDirectory() as tmp:
        os.mkfifo(f"{tmp}/pipe")
        rc, out, err = run([PROGRAM, "record", "--count", "1", "-o", f"{tmp}/pipe"], timeout=10, **RECORDED)
        check("a pipe without a reader is refused", rc == 1 and "nobody reads" in err, f"{rc} {err}")
        reader = os.open(f"{tmp}/pipe", os.O_RDONLY | os.O_NONBLOCK)
        rc, out, err = run([PROGRAM, "record", "--count", "2", "-o", f"{tmp}/pipe"], timeout=10, **RECORDED)
        check("one with a reader is written to", rc == 0 and len(snapshots(os.read(reader, 1 << 20).decode())) == 2, f"{rc} {err}")
        os.close(reader)
    for number in (signal.SIGTERM, signal.SIGINT):
        read, write = os.pipe()
        p = subprocess.Popen([PROGRAM, "record", "-i", "0.1", "-o", "-"], env=environment(**RECORDED), stdout=write, stderr=subprocess.PIPE, text=True)
        os.close(write)
        time.sleep(1)  # far more than a pipe takes
        p.send_signal(number)
        try: ended = p.wait(timeout=5)
        except subprocess.TimeoutExpired: ended = p.kill()
        check(f"signal {number} ends a recording whose reader sleeps", ended == 0, ended)
        os.close(read)


def signals():
    with tempfile.TemporaryDirectory() as tmp:
        env = environment(GPUTASKMAN_SYSROOT=CASE, GPUTASKMAN_NVML="/nonexistent")
        p = subprocess.Popen([PROGRAM, "record", "-i", "0.1", "-o", f"{tmp}/r.jsonl"], env=env, stderr=subprocess.PIPE, text=True)
        time.sleep(1.2)
        p.send_signal(signal.SIGTERM)
        err = p.communicate(timeout=10)[1]
        text = open(f"{tmp}/r.jsonl").read()
        p2 = subprocess.Popen([PROGRAM, "record", "-i", "0.1", "-o", f"{tmp}/stop.jsonl"], env=env, stderr=subprocess.PIPE, text=True, process_group=0)
        time.sleep(0.5)
        p2.send_signal(signal.SIGTSTP)
        state = wait_for(lambda: open(f"/proc/{p2.pid}/stat").read().rsplit(")", 1)[1].split()[0] == "T")
        p2.send_signal(signal.SIGCONT)
        p2.terminate()
        check("Ctrl-Z stops a recording, fg goes on", state and p2.wait(timeout=10) == 0)
        check("SIGTERM ends a recording cleanly", p.returncode in (0, 143) and text.endswith("\n") and len(snapshots(text)) >= 3, f"{p.returncode} {err} {len(text)}")


def installed():
    build = os.path.dirname(os.path.dirname(os.path.abspath(PROGRAM)))
    with tempfile.TemporaryDirectory() as tmp:
        rc, out, err = run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", tmp])
        found = {name: os.path.join(folder, name) for folder, _, names in os.walk(tmp) for name in names}
        check("make install puts both names in place", rc == 0 and {"gputaskman", "gtm"} <= set(found), f"{rc} {err} {sorted(found)}")
        rc, out, err = run([found.get("gtm", "/nonexistent/gtm"), "--version"]) if "gtm" in found else (1, "", "no gtm")
        check("gtm is the same program", rc == 0 and out.startswith("gputaskman "), f"{rc} {err}")


installed(), usage(), pictures(), selection(), no_gpu(), unusable_library(), outputs(), pipes(), signals(), done()
