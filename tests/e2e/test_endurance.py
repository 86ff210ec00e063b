#!/usr/bin/env python3
"""A simulated day on a recorded machine whose processes come and go: memory stays bounded and no descriptor leaks.
And valgrind has nothing to say about one-shot output. usage: test_endurance.py PROGRAM CASES"""
import os, re, shutil, subprocess, sys, tempfile, time
import tap

PROGRAM, CASES = sys.argv[1:3]
FRAMES, SAMPLES, STEP_S = 40, 720, 120  # a day at 2 minutes; every frame has other processes
TREE = os.path.join(CASES, "drm", "amd-fork-shared-client", "frame0")


def churned(top, frame):
    """The tree with other pids and start stamps: other processes."""
    place = os.path.join(top, str(frame))
    shutil.copytree(TREE, place, symlinks=True)
    proc = os.path.join(place, "proc")
    for pid in [name for name in os.listdir(proc) if name.isdigit()]:
        other = str(int(pid) + 10 * frame)
        with open(os.path.join(proc, pid, "stat")) as file: words = file.read().rsplit(")", 1)
        fields = words[1].split()
        fields[19] = str(int(fields[19]) + 7 * frame)
        with open(os.path.join(proc, pid, "stat"), "w") as file:
            file.write(re.sub(r"^\d+", other, words[0]) + ") " + " ".join(fields) + "\n")
        os.rename(os.path.join(proc, pid), os.path.join(proc, other))
    return place


def held(process):
    with open(f"/proc/{process.pid}/status") as file:
        kib = int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))
    return kib, len(os.listdir(f"/proc/{process.pid}/fd"))


def sample_of(path):
    try:
        with open(path) as file: return int(file.read() or -1)
    except (OSError, ValueError): return -1


def endure(top):
    frames = [churned(top, i) for i in range(FRAMES)]
    at = os.path.join(top, "sample")
    environment = tap.environment(
        GPUTASKMAN_SYSROOT=":".join(os.path.relpath(frames[i % FRAMES], top) for i in range(SAMPLES)),
        GPUTASKMAN_SAMPLE_TIMES=",".join(str(1000 + STEP_S * i) for i in range(SAMPLES)), GPUTASKMAN_SAMPLE_FILE=at)
    process = subprocess.Popen([os.path.abspath(PROGRAM), "record", "--count", str(SAMPLES), "-i", str(STEP_S), "-o", "day.jsonl"],
        cwd=top, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    early = late = None
    most_descriptors, until = 0, time.monotonic() + 600
    while process.poll() is None and time.monotonic() < until:
        sample = sample_of(at)
        try: now = held(process)
        except (OSError, AttributeError): break
        if early is None and sample >= SAMPLES // 3: early = now
        if sample >= SAMPLES // 3: late, most_descriptors = now, max(most_descriptors, now[1])
        time.sleep(0.02)
    if process.poll() is None and time.monotonic() >= until: process.kill()
    error = process.stderr.read().decode("utf-8", "replace")
    tap.check("a day of samples is taken", process.wait() == 0, error)
    with open(os.path.join(top, "day.jsonl"), "rb") as file: lines = sum(1 for _ in file)
    tap.check("every sample is recorded", lines >= SAMPLES, lines)
    if early is None or late is None: return tap.skip("memory and descriptors stay", "it was too fast to be looked at")
    tap.check("memory stays", late[0] - early[0] <= 2048, f"{early[0]} KiB after a third of the day, {late[0]} at its end")
    tap.check("no descriptor leaks", most_descriptors <= early[1] + 4, f"{early[1]} after a third of the day, at most {most_descriptors}")


def is_sanitised():
    with open(PROGRAM, "rb") as file: return re.search(rb"__(asan|tsan)_init", file.read()) is not None


def check_with_valgrind():
    what = "valgrind: one-shot output touches no memory wrongly"
    if is_sanitised(): return tap.skip(what, "the program has a sanitizer")
    if not shutil.which("valgrind"): return tap.skip(what, "no valgrind here")
    # Leaks are AddressSanitizer's matter: here a slow worker is left behind at the end, and what it uses with it.
    code, out, error = tap.run(["valgrind", "-q", "--leak-check=no", "--error-exitcode=99", PROGRAM, "--json"], timeout=300,
        GPUTASKMAN_SYSROOT=TREE)
    tap.check(what, code == 0 and out.startswith("{"), error or code)


top = tempfile.mkdtemp(prefix="gputaskman-day-")
try:
    if is_sanitised(): tap.skip("a day of samples", "the program has a sanitizer, whose memory grows")
    else: endure(top)
finally:
    shutil.rmtree(top)
check_with_valgrind()
tap.done()
