#!/usr/bin/env python3
"""The program for Windows under wine, with stand-ins for the libraries that only a Windows with GPUs has (fakes/README.md).

usage: test_fakes.py BUILD_FOLDER CASES

What a live machine tells through pdh.dll and D3DKMT must be what the recorded one tells: the same cases are played both ways, and
compared figure by figure. Processes are wine's own, so that names and start times are only in the recording. Faults: a library
or a function that is missing, refusals, lists that grow, a provider that goes and comes back, helpers that crash and hang.
Expected values: reference windows.md sections 1 to 3."""
import atexit, json, os, shutil, signal, subprocess, sys, tempfile, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))
from tap import check, done, skip, wait_for

BUILD, CASES = (os.path.abspath(a) for a in sys.argv[1:3])
TOP = os.path.dirname(os.path.dirname(HERE))
FAKES = f"{BUILD}/tests/windows/fakes"
PROGRAM = f"{FAKES}/gputaskman-fakes.exe"
WINE = f"{TOP}/packaging/windows/wine.sh"
# A prefix of its own: what is put into its system32 is no matter of other tests.
PREFIX = (os.environ.get("WINEPREFIX") or f"{BUILD}/wine") + "-fakes"
SYSTEM32 = f"{PREFIX}/drive_c/windows/system32"
MIB, GIB = 1 << 20, 1 << 30


def windows_path(path): return "Z:" + path.replace("/", "\\")


def environment(**more):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GPUTASKMAN_", "FAKE_", "XDG_"))}
    return clean | {"WINEPREFIX": PREFIX, "WINEDEBUG": "-all"} | more


def run(*arguments, timeout=240, **more):
    p = subprocess.run([WINE, PROGRAM, *arguments], env=environment(**more), stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
    return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")


def lines(out): return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


def install(*names, **renamed):
    """Only these of the fakes are in system32; the rest of it is wine's."""
    for name in ("pdh.dll", "nvml.dll", "atiadlxx.dll", "gtm_fake_d3dkmt.dll"):
        if os.path.exists(f"{SYSTEM32}/{name}"): os.remove(f"{SYSTEM32}/{name}")
    shutil.copy(f"{PREFIX}/pdh.wine", f"{SYSTEM32}/pdh.dll")
    for name in names: shutil.copy(f"{FAKES}/{name}.dll", f"{SYSTEM32}/{name}.dll")
    for name, source in renamed.items(): shutil.copy(f"{FAKES}/{source}.dll", f"{SYSTEM32}/{name}.dll")


def source(snapshot, name): return next((s for s in snapshot.get("sources", []) if s["name"] == name), {})


def running(word):
    """Processes under this prefix whose command line has this word in it."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit(): continue
        try:
            line = open(f"/proc/{entry}/cmdline", "rb").read().split(b"\0")
            if b"gputaskman-fakes.exe" in line[0] + (line[1] if len(line) > 1 else b"") and word.encode() in line and f"WINEPREFIX={PREFIX}".encode() in open(f"/proc/{entry}/environ", "rb").read().split(b"\0"):
                found.append(int(entry))
        except OSError: pass
    return found


class Recording:
    """`record`, line by line, while it runs."""
    def __init__(self, *arguments, **more):
        self.p = subprocess.Popen([WINE, PROGRAM, "record", "-o", "-", *arguments], env=environment(**more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.seen = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.p.stdout:
            if line.startswith(b"{"): self.seen.append(json.loads(line))

    def wait(self, what, seconds):
        """The first snapshot, from now on, of which `what` is true."""
        start = len(self.seen)
        return wait_for(lambda: next((s for s in self.seen[start:] if what(s)), None), seconds)

    def end(self):
        self.p.kill()
        self.p.wait()


# ---------------------------------------------------------------- the same figures both ways

VOLATILE = {"since", "age_seconds", "duration_seconds"}
UNKNOWN_UNDER_WINE = {"explained_bytes", "unexplained_bytes"}


def uses_of(snapshot):
    """What each process has on each adapter; the process by its pid alone."""
    return {(p["pid"], g["adapter_id"]): {k: v for k, v in g.items() if k not in UNKNOWN_UNDER_WINE and k != "adapter"} for p in snapshot["processes"] for g in p["gpus"]}


def adapters_of(snapshot): return {a["id"]: {k: v for k, v in a.items() if k not in VOLATILE} for a in snapshot["adapters"]}


def differences(one, other, path=""):
    if isinstance(one, dict) and isinstance(other, dict):
        found = []
        for key in sorted(set(one) | set(other), key=str): found += differences(one.get(key), other.get(key), f"{path}.{key}")
        return found
    if isinstance(one, (int, float)) and isinstance(other, (int, float)) and not isinstance(one, bool):
        return [] if abs(one - other) <= 0.05 else [f"{path}: {one} != {other}"]
    return [] if one == other else [f"{path}: {one} != {other}"]


def both_ways(name, samples, **more):
    folder = f"{CASES}/{name}"
    arguments = ["record", "--count", str(samples), "--interval", "0.5", "--all", "-o", "-"]
    _, recorded, error = run(*arguments, GPUTASKMAN_RECORDED=windows_path(folder))
    rc, live, live_error = run(*arguments, FAKE_PDH=windows_path(folder), **more)
    recorded, live = lines(recorded), lines(live)
    if not check(f"{name}: {samples} snapshots live as recorded", len(recorded) == len(live) == samples, (len(recorded), len(live), rc, error, live_error)): return
    found = []
    for number, (one, other) in enumerate(zip(recorded, live)):
        found += differences(adapters_of(one), adapters_of(other), f"{number}") + differences(uses_of(one), uses_of(other), f"{number}")
    return found


# What only a recording can play: time that passes.
RECORDED_ONLY = ("gap-of-sleep", "luid-change-after-resume", "slow-sampling")


def cases(tmp):
    install("pdh", "gtm_fake_d3dkmt")
    for name in sorted(os.listdir(CASES)):
        file = f"{CASES}/{name}/counters.jsonl"
        if not os.path.exists(file) or name in RECORDED_ONLY: continue
        samples = sum('"collect"' in line for line in open(file))
        found = both_ways(name, samples)
        if found is None: continue
        if name == "pid-reuse":
            # Which process has a pid is wine's to tell: what the second one of 5512 used at sample 1 is only known to be another's there.
            expected = [f for f in found if f.startswith(("1.luid:", "1.(5512,")) and ("load_percent" in f or "engines_percent" in f)]
            check(f"{name}: the recorded machine knows the other process", any("pid_reused" in f for f in expected), found)
            found = [f for f in found if f not in expected]
        check(f"{name}: every figure is the same", not found, found[:5])


def names(tmp):
    """A pid that lives: its row has a name and a start."""
    install("pdh", "gtm_fake_d3dkmt")
    say(f"{tmp}/name.txt", "name 15300 services.exe\n")
    rc, out, error = run("--json", FAKE_PDH=windows_path(f"{CASES}/dgpu-browser-game-llm"), FAKE_PDH_SCRIPT=windows_path(f"{tmp}/name.txt"))
    row = next((p for p in (lines(out) or [{}])[0].get("processes", []) if p["name"] == "services.exe"), None)
    check("a process that lives has its name, its start, its memory", row and row["start_time"] and row["ram_bytes"] and row["gpus"][0]["vram_bytes"], (rc, error, row))


def growing(tmp):
    """A list that is longer when it is asked for than when its size was; a buffer that is too small is refused in either way."""
    for what, script in (("more data", "grow 3\n"), ("invalid argument", "grow 3\nstrict\n")):
        with open(f"{tmp}/pdh.txt", "w") as f: f.write(script)
        found = both_ways("dgpu-browser-game-llm", 2, FAKE_PDH_SCRIPT=windows_path(f"{tmp}/pdh.txt"))
        check(f"a list that grows ({what}) is read whole", found == [], found and found[:5])


# ---------------------------------------------------------------- faults of the system's own libraries

CASE = "hybrid-two-luids"


def wddm(snapshot): return source(snapshot, "wddm")


def card(snapshot, name): return next((a for a in snapshot.get("adapters", []) if name in (a["name"] or "")), {})


def faults(tmp):
    folder = windows_path(f"{CASES}/{CASE}")
    install("gtm_fake_d3dkmt")
    rc, out, error = run("--json", FAKE_PDH=folder)
    snapshot = (lines(out) or [{}])[0]
    titan = card(snapshot, "TITAN")
    check("without counters the adapters are listed, their use unknown", rc == 0 and titan.get("memory", {}).get("vram_total_bytes") == 12 * GIB and titan["memory"]["vram_used_bytes"] is None and titan["load_percent"] is None, (rc, error, titan.get("memory")))
    check("and it is said", wddm(snapshot).get("state") in ("partial", "failed") and wddm(snapshot)["detail"], wddm(snapshot))
    install("gtm_fake_d3dkmt", pdh="pdh-old")
    rc, out, error = run("--json", FAKE_PDH=folder)
    snapshot = (lines(out) or [{}])[0]
    check("a pdh.dll that lacks a function is none", rc == 0 and card(snapshot, "TITAN").get("load_percent", 0) is None and wddm(snapshot).get("detail"), (rc, error, wddm(snapshot)))
    install("pdh")
    rc, out, error = run("--json", FAKE_PDH=folder)
    snapshot = (lines(out) or [{}])[0]
    known = {a["id"]: a["memory"]["vram_used_bytes"] for a in snapshot.get("adapters", [])}
    check("without D3DKMT the counters' adapters are listed, without names", known.get("luid:0x00000000_0x000095ca") == 363155456 and all(a["name"] is None for a in snapshot["adapters"]), (rc, known, error))
    install("pdh", "gtm_fake_d3dkmt")
    with open(f"{tmp}/pdh.txt", "w") as f: f.write("missing Engine\n")
    rc, out, _ = run("--json", FAKE_PDH=folder, FAKE_PDH_SCRIPT=windows_path(f"{tmp}/pdh.txt"))
    snapshot = (lines(out) or [{}])[0]
    check("a Windows without engine counters: memory known, load not", card(snapshot, "TITAN").get("memory", {}).get("vram_used_bytes", 0) > 0 and card(snapshot, "TITAN")["load_percent"] is None, card(snapshot, "TITAN"))
    for name, number in (("the name", 8), ("the type", 15), ("the sizes", 3), ("the groups of segments", 42)):
        with open(f"{tmp}/kmt.txt", "w") as f: f.write(f"without {number}\n")
        rc, out, error = run("--json", FAKE_PDH=folder, FAKE_D3DKMT_SCRIPT=windows_path(f"{tmp}/kmt.txt"))
        check(f"a driver that does not tell {name} keeps its adapter", rc == 0 and len((lines(out) or [{}])[0].get("adapters", [])) == 2, (rc, error))


def provider_gone(tmp):
    """A driver that is updated: its counters go, and are looked for again every 30 s."""
    script = f"{tmp}/gone.txt"
    with open(script, "w") as f: f.write("")
    recording = Recording("--interval", "0.5", "--all", FAKE_PDH=windows_path(f"{CASES}/{CASE}"), FAKE_PDH_SCRIPT=windows_path(script))
    used = lambda s: card(s, "TITAN").get("memory", {}).get("vram_used_bytes")
    check("counters are there", recording.wait(used, 60))
    with open(script, "w") as f: f.write("gone\n")
    gone = recording.wait(lambda s: used(s) is None, 60)
    check("they go: the adapter stays, its use is unknown", gone and len(gone["adapters"]) == 2 and not gone["processes"], gone and card(gone, "TITAN").get("memory"))
    with open(script, "w") as f: f.write("")
    check("they come back within the half minute", recording.wait(used, 120))
    with open(script, "w") as f: f.write("collect 0xC0000BBC\n")
    check("a query that is broken says nothing", recording.wait(lambda s: used(s) is None, 60))
    with open(script, "w") as f: f.write("")
    check("and is opened anew", recording.wait(used, 60))
    recording.end()


# ---------------------------------------------------------------- the vendors' libraries, in helpers

NVIDIA = """driver 551.23
device 0
 name NVIDIA GeForce RTX 4090
 pci 00000000:01:00.0
 mem_total 24564MiB
 mem_used 4GiB
 util_gpu 40
 temp 61
 power_mw 120000
 driver_model 0
proc 0 pid=4242 type=C mem=na
"""
AMD = """adapter 3
at 3 0 0
name AMD Radeon RX 7900 XTX
pnp PCI\\VEN_1002&DEV_744C&SUBSYS_0E3B1002&REV_C8\\6
code -8
adapter 4
at 3 0 0
memory 25753026560
used 2048
sensor 8 55
sensor 27 70
sensor 9 468
sensor 14 1500
sensor 73 312
sensor 23 250
sensor 1 2400
"""


def machine(tmp, name, **adapter):
    """A case whose adapter has an address, so that the vendor's library can be matched to it."""
    folder = tempfile.mkdtemp(dir=tmp)
    for file in ("counters.jsonl", "processes.json"): shutil.copy(f"{CASES}/{name}/{file}", folder)
    adapters = json.load(open(f"{CASES}/{name}/adapters.json"))
    adapters[0] |= adapter
    json.dump(adapters, open(f"{folder}/adapters.json", "w"))
    return windows_path(folder)


def say(path, text):
    with open(path + ".new", "w") as f: f.write(text)
    os.replace(path + ".new", path)


def nvidia(tmp):
    install("pdh", "gtm_fake_d3dkmt", "nvml")
    folder = machine(tmp, "dgpu-browser-game-llm", bus=1, device=0, function=0, vendor_id=0x10de, device_id=0x2684)
    say(f"{tmp}/nvml.txt", NVIDIA)
    more = {"FAKE_PDH": folder, "FAKE_NVML_SCENARIO": windows_path(f"{tmp}/nvml.txt")}
    rc, out, error = run("--json", **more)
    snapshot = (lines(out) or [{}])[0]
    gpu = card(snapshot, "4090")
    check("nvml.dll of System32 is used", "System32\\nvml.dll".lower() in (source(snapshot, "nvml").get("detail") or "").lower(), (rc, error, source(snapshot, "nvml")))
    check("one adapter of both, by its address", len(snapshot.get("adapters", [])) == 1 and gpu.get("temperatures_celsius", {}).get("edge") == 61 and gpu["power_watts"] == 120, (len(snapshot.get("adapters", [])), gpu))
    if gpu:
        rows = [g for p in snapshot["processes"] for g in p["gpus"]]
        check("memory that NVML cannot tell is the system's, never 2^64", rows and all((r["vram_bytes"] or 0) <= 24 * GIB for r in rows) and any(r["vram_bytes"] for r in rows), rows[:2])
        check("no device file of another system", not gpu["nodes"], gpu["nodes"])
        check("the adapter's memory is the system's counter", gpu["memory"]["vram_used_bytes"] != 4 * GIB, gpu["memory"])
    say(f"{tmp}/nvml.txt", NVIDIA.replace("driver_model 0", "driver_model 1"))
    _, out, _ = run("--json", **more)
    check("a card without Windows' memory manager is told apart", "driver model TCC" in (source((lines(out) or [{}])[0], "nvml").get("detail") or ""), out[:200])
    say(f"{tmp}/nvml.txt", "missing nvmlDeviceGetMemoryInfo_v2 nvmlDeviceGetTemperature*\n" + NVIDIA)
    _, out, _ = run("--json", **more)
    gpu = card((lines(out) or [{}])[0], "4090")
    check("a function that is missing is a figure that is missing", gpu.get("temperatures_celsius", {}).get("edge", 0) is None and gpu.get("power_watts") == 120, gpu)
    say(f"{tmp}/nvml.txt", "crash nvmlDeviceGetUtilizationRates 11\n" + NVIDIA)
    rc, out, error = run("--json", **more)
    snapshot = (lines(out) or [{}])[0]
    check("a crash in NVML is a state with its exception", rc == 0 and source(snapshot, "nvml").get("state") == "failed" and "0xC0000005" in source(snapshot, "nvml")["detail"], (rc, error, source(snapshot, "nvml")))
    check("and takes nothing of the system's with it", card(snapshot, "4090").get("memory", {}).get("vram_used_bytes"), card(snapshot, "4090").get("memory"))
    install("pdh", "gtm_fake_d3dkmt")
    _, out, _ = run("--json", **more)
    check("no nvml.dll: no source that fails", source((lines(out) or [{}])[0], "nvml").get("state") == "absent", source((lines(out) or [{}])[0], "nvml"))
    say(f"{tmp}/nvml.txt", NVIDIA)
    old = f"{PREFIX}/drive_c/Program Files/NVIDIA Corporation/NVSMI"
    os.makedirs(old, exist_ok=True)
    shutil.copy(f"{FAKES}/nvml.dll", old)
    _, out, _ = run("--json", **more)
    shutil.rmtree(os.path.dirname(old))
    check("where drivers before DCH put it, it is found too", "NVSMI\\nvml.dll" in (source((lines(out) or [{}])[0], "nvml").get("detail") or ""), source((lines(out) or [{}])[0], "nvml"))


def amd(tmp):
    install("pdh", "gtm_fake_d3dkmt", "atiadlxx")
    folder = machine(tmp, "engines-overlap-3d-compute", bus=3, device=0, function=0, vendor_id=0x1002, device_id=0x744c)
    say(f"{tmp}/adl.txt", AMD)
    more = {"FAKE_PDH": folder, "FAKE_ADL": windows_path(f"{tmp}/adl.txt")}
    rc, out, error = run("--json", **more)
    snapshot = (lines(out) or [{}])[0]
    gpu = card(snapshot, "7900")
    check("ADL: one adapter of both, by its address", len(snapshot.get("adapters", [])) == 1 and gpu.get("temperatures_celsius") == {"edge": 55, "hotspot": 70, "memory": None}, (rc, error, gpu.get("temperatures_celsius"), source(snapshot, "adl")))
    check("power of the board, before that of the chip", gpu.get("power_watts") == 312 and gpu.get("fan_rpm") == 1500, (gpu.get("power_watts"), gpu.get("fan_rpm")))
    check("its own count of memory is said, not shown", "2048 MiB" in (source(snapshot, "adl").get("detail") or "") and gpu["memory"]["vram_used_bytes"] != 2 * GIB, source(snapshot, "adl"))
    say(f"{tmp}/adl.txt", AMD.replace("used 2048", "used 37888"))
    _, out, _ = run("--json", **more)
    check("a count larger than the card is refused", "larger than" in (source((lines(out) or [{}])[0], "adl").get("detail") or ""), source((lines(out) or [{}])[0], "adl"))
    say(f"{tmp}/adl.txt", "refuse -2\n" + AMD)
    _, out, _ = run("--json", **more)
    snapshot = (lines(out) or [{}])[0]
    check("an ADL that refuses is a source that failed, with its code", source(snapshot, "adl").get("state") == "failed" and "-2" in source(snapshot, "adl")["detail"] and card(snapshot, "7900").get("memory"), source(snapshot, "adl"))
    install("pdh", "gtm_fake_d3dkmt", atiadlxx="atiadlxx-old")
    _, out, _ = run("--json", **more)
    check("one that has no sensors is too old", "too old" in (source((lines(out) or [{}])[0], "adl").get("detail") or ""), source((lines(out) or [{}])[0], "adl"))
    say(f"{tmp}/adl.txt", "crash log\n" + AMD)
    install("pdh", "gtm_fake_d3dkmt", "atiadlxx")
    _, out, _ = run("--json", **more)
    check("a crash in ADL is a state with its exception", "0xC0000005" in (source((lines(out) or [{}])[0], "adl").get("detail") or ""), source((lines(out) or [{}])[0], "adl"))


def hang(tmp):
    """A helper that hangs is ended after 2 s; one whose parent dies goes with it, also while it hangs."""
    install("pdh", "gtm_fake_d3dkmt", "atiadlxx")
    script = f"{tmp}/hang.txt"
    say(script, AMD)
    more = {"FAKE_PDH": machine(tmp, "engines-overlap-3d-compute", bus=3, device=0, function=0), "FAKE_ADL": windows_path(script)}
    recording = Recording("--interval", "0.5", **more)
    good = recording.wait(lambda s: source(s, "adl").get("state") == "ok", 60)
    check("ADL answers", good)
    say(script, "hang log\n" + AMD)
    bad = recording.wait(lambda s: source(s, "adl").get("state") in ("failed", "stale"), 60)
    check("one that hangs is ended, and it is said", bad and recording.wait(lambda s: "did not answer" in (source(s, "adl").get("detail") or ""), 60), bad and source(bad, "adl"))
    check("the system's own figures go on", bad and card(bad, "7900").get("memory", {}).get("vram_used_bytes"))
    check("none is left behind", wait_for(lambda: not running("adl"), 30), running("adl"))
    say(script, AMD)
    back = recording.wait(lambda s: source(s, "adl").get("state") == "ok", 60)
    check("it is tried again, and answers", back)
    say(script, "hang log\n" + AMD)
    check("a helper is at work", wait_for(lambda: running("adl"), 30))
    for pid in running("record"): os.kill(pid, signal.SIGKILL)
    recording.end()
    check("it dies with its parent, even while it hangs", wait_for(lambda: not running("adl"), 30), running("adl"))


def prepare():
    subprocess.run([WINE, PROGRAM, "--version"], env=environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    if not os.path.exists(f"{PREFIX}/pdh.wine"): shutil.copy(f"{SYSTEM32}/pdh.dll", f"{PREFIX}/pdh.wine")


if __name__ == "__main__":
    if not shutil.which("wine64") and not shutil.which("wine") and not os.path.exists("/usr/lib/wine/wine64"):
        skip("the program with stand-ins under wine", "there is no wine here")
        done()
    tmp = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, tmp, True)
    prepare()
    atexit.register(subprocess.run, ["wineserver", "-k"], env=environment(), stderr=subprocess.DEVNULL)
    for part in (cases, names, growing, faults, provider_gone, nvidia, amd, hang): part(tmp)
    done()
