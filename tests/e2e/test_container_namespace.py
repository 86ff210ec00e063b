#!/usr/bin/env python3
"""A real pid namespace: real processes that map a stand-in libcuda.so.1 and hold (by path only) NVIDIA's device files, a fake NVML
that reports their pids as the host has them, and the program inside, which must find out whose they are.
usage: test_container_namespace.py PROGRAM FAKE_NVML LIBCUDA"""
import ctypes, os, shutil, stat, subprocess, sys, tempfile, time

from tap import check, done, environment, skip, snapshots, wait_for

MIB = 1 << 20
OUTSIDE = 4194000                                 # a host pid that nobody here has


def holder(tmp, name, library):
    """Inside: waits to be told, then looks like a process that uses the GPU."""
    while not os.path.exists(f"{tmp}/go-{name}"): time.sleep(0.02)
    ctypes.CDLL(library)
    held = [os.open(f"{tmp}/{node}", os.O_PATH) for node in ("nvidiactl", "nvidia0")]
    open(f"{tmp}/held-{name}", "w").close()
    while not os.path.exists(f"{tmp}/end-{name}"): time.sleep(0.02)
    for descriptor in held: os.close(descriptor)


def inner(tmp, program, library):
    """Process 1 of the namespace: starts what it is told."""
    children = []
    for line in sys.stdin:
        what, *words = line.split()
        if what == "holder":
            children.append(subprocess.Popen([sys.executable, __file__, "--holder", tmp, words[0], library], stdin=subprocess.DEVNULL))
        elif what == "record":
            children.append(subprocess.Popen([program, "record", "-i", "0.5", "-o", f"{tmp}/{words[0]}.jsonl"], stdin=subprocess.DEVNULL))
        elif what == "stop":
            children.pop().terminate()
        print(children[-1].pid if children else 0, flush=True)


class Namespace:
    def __init__(self, tmp, program, library, env):
        self.tmp = tmp
        self.process = subprocess.Popen(["unshare", "--pid", "--mount-proc", "--fork", sys.executable, __file__, "--inner", tmp, program, library],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment(**env))

    def tell(self, line):
        self.process.stdin.write(line + "\n"); self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def outer_pid(self, local):
        """The same process as the host numbers it."""
        for entry in os.listdir("/proc"):
            if not entry.isdigit(): continue
            try:
                numbers = next(l for l in open(f"/proc/{entry}/status") if l.startswith("NSpid")).split()[1:]
                ours = os.readlink(f"/proc/{entry}/ns/pid") != os.readlink("/proc/self/ns/pid")
                if ours and len(numbers) > 1 and int(numbers[-1]) == local and "--holder" in open(f"/proc/{entry}/cmdline").read(): return int(entry)
            except (OSError, StopIteration): pass
        return None

    def holder(self, name):
        local = self.tell(f"holder {name}")
        return local, wait_for(lambda: self.outer_pid(local))

    def go(self, name): open(f"{self.tmp}/go-{name}", "w").close()
    def end(self, name): open(f"{self.tmp}/end-{name}", "w").close()

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=10)


def last(tmp, name):
    path = f"{tmp}/{name}.jsonl"
    lines = open(path).read().split("\n")[:-1] if os.path.exists(path) else []
    return snapshots(lines[-1])[0] if lines else None


def rows(snapshot):
    """label -> (inferred_by, bytes)"""
    found = {}
    for process in (snapshot or {}).get("processes") or []:
        for gpu in process["gpus"]:
            known = gpu["vram_bytes"] if gpu["inferred_by"] is None else gpu["vram_inferred_bytes"]
            found[process["label"]] = (gpu["inferred_by"], known)
    return found


def write_scenario(path, processes):
    with open(path, "w") as f:
        f.write("driver 525.147.05\ndevice 0\n name Test GPU\n uuid GPU-00000000-0000-4000-8000-000000000000\n pci 00000000:01:00.0\n"
                " minor 0\n mem_total 16GiB\n mem_used 4GiB\n util_gpu 10\n util_mem 5\n")
        for pid, mib, rest in processes: f.write(f"proc 0 pid={pid} type=C mem={mib}MiB {rest}\n")


def set_time(tmp, seconds):
    with open(f"{tmp}/time.new", "w") as f: f.write(str(seconds))
    os.rename(f"{tmp}/time.new", f"{tmp}/time")


def after_a_sample(tmp, name):
    """Just behind a sample, so that what is done next falls into one refresh."""
    before = (last(tmp, name) or {}).get("monotonic_seconds")
    wait_for(lambda: (last(tmp, name) or {}).get("monotonic_seconds") != before, 5, 0.01)


def exactly_ours(space, tmp, a, b):
    write_scenario(f"{tmp}/scenario.txt", [(b[1], 300, ""), (a[1], 200, "")])
    space.tell("record exact")
    wanted = {str(a[0]): ("matched", 200 * MIB), str(b[0]): ("matched", 300 * MIB)}
    check("two processes and two host pids are matched in the order of their start", wait_for(lambda: rows(last(tmp, "exact")) == wanted, 15), rows(last(tmp, "exact")))
    snapshot = last(tmp, "exact") or {}
    check("the program knows that it is in a container", snapshot.get("mode") == "container", snapshot.get("mode"))
    names = [p["name"] for p in snapshot.get("processes") or []]
    check("a matched row has the name of the process here", bool(names) and all(n and n.startswith("python") for n in names), names)
    memory = snapshot["adapters"][0]["memory"] if snapshot.get("adapters") else {}
    check("the driver's bytes are attributed, whoever the owner is", memory.get("attributed_bytes") == 500 * MIB, memory)
    space.tell("stop")


def shared_with_others(space, tmp, a, b, c):
    write_scenario(f"{tmp}/scenario.txt", [(a[1], 200, ""), (b[1], 300, ""), (OUTSIDE, 400, ""), (c[1], 500, "from=10 to=20")])
    set_time(tmp, 0)
    space.tell("record shared")
    marks = lambda: sorted(str(mark) for mark, _ in rows(last(tmp, "shared")).values())
    check("with more host pids than processes everything is a guess", wait_for(lambda: marks() == ["None", "guess", "guess"], 15), rows(last(tmp, "shared")))
    after_a_sample(tmp, "shared")
    space.go("c"); set_time(tmp, 10)
    pinned = (str(c[0]), ("matched", 500 * MIB))
    check("a process that starts while we look is pinned", wait_for(lambda: pinned in rows(last(tmp, "shared")).items(), 10), rows(last(tmp, "shared")))
    after_a_sample(tmp, "shared"); after_a_sample(tmp, "shared")
    check("the pin holds although the counts still differ", pinned in rows(last(tmp, "shared")).items(), rows(last(tmp, "shared")))
    check("the others stay guesses", marks() == ["None", "guess", "guess", "matched"], rows(last(tmp, "shared")))
    after_a_sample(tmp, "shared")
    space.end("c"); set_time(tmp, 20)
    check("a process that ends takes its row with it", wait_for(lambda: marks() == ["None", "guess", "guess"], 10), rows(last(tmp, "shared")))
    space.tell("stop")


def usable(tmp):
    """None, or why such a namespace can't be made here."""
    if os.geteuid() != 0: return "needs root"
    if not shutil.which("unshare"): return "needs unshare(1)"
    probe = subprocess.run(["unshare", "--pid", "--mount-proc", "--fork", "true"], capture_output=True, text=True)
    if probe.returncode != 0: return probe.stderr.strip() or "unshare is refused"
    try:
        os.mknod(f"{tmp}/nvidiactl", stat.S_IFCHR | 0o600, os.makedev(195, 255))
        os.mknod(f"{tmp}/nvidia0", stat.S_IFCHR | 0o600, os.makedev(195, 0))
    except OSError as e: return f"mknod: {e.strerror}"
    return None


def main(program, fake_nvml, library):
    with tempfile.TemporaryDirectory() as tmp:
        why = usable(tmp)
        if why: skip("a real pid namespace", why); done()
        set_time(tmp, 0)
        env = {"GPUTASKMAN_NVML": fake_nvml, "FAKE_NVML_SCENARIO": f"{tmp}/scenario.txt", "FAKE_NVML_TIME_FILE": f"{tmp}/time"}
        space = Namespace(tmp, program, library, env)
        a, b, c = (space.holder(name) for name in "abc")
        if check("the processes are known outside by other numbers", all(outer and outer != local for local, outer in (a, b, c)), (a, b, c)):
            space.go("a"); space.go("b")
            wait_for(lambda: os.path.exists(f"{tmp}/held-a") and os.path.exists(f"{tmp}/held-b"))
            exactly_ours(space, tmp, a, b)
            shared_with_others(space, tmp, a, b, c)
        space.end("a"); space.end("b"); space.end("c")
        space.close()
        done()


if sys.argv[1] == "--holder": holder(*sys.argv[2:])
elif sys.argv[1] == "--inner": inner(*sys.argv[2:])
else: main(*sys.argv[1:])
