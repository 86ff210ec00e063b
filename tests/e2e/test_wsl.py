#!/usr/bin/env python3
"""WSL from outside: a stand-in for PowerShell that behaves, and many that do not. usage: test_wsl.py PROGRAM FAKE_NVML CASES

What the Windows side does never harms the Linux side: rows stay, device figures stay, and nothing is left running.
"""
import json, os, re, shutil, signal, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases"))
from tap import check, done, environment, run, snapshots, wait_for
import relink
from terminal import Terminal

PROGRAM, FAKE_NVML, CASES = sys.argv[1:4]
GIB = 1 << 30
TOTAL = 17171480576
# The stand-in's own words: `say` a sample with the contexts of the virtual machine, newest first.
HEAD = """#!{python}
import json, os, signal, sys, time
open({started!r}, "a").write(f"{{os.getpid()}}\\n")
def line(t, contexts=(0, 4 << 30), app=1 << 30):
    path = "\\\\GPU Process Memory(*)\\\\"
    name = "pid_%d_luid_0x00000000_0x0000D1A2_phys_0"
    lists = [[name % 4321, c] for c in contexts] + [[name % 9000, app]]
    return json.dumps({{"t": t, "pdh": {{path + "Local Usage": lists, path + "Non Local Usage": [[n, 0] for n, _ in lists], path + "Total Committed": lists,
        "\\\\GPU Adapter Memory(*)\\\\Dedicated Usage": [["luid_0x00000000_0x0000D1A2_phys_0", 8 << 30]], "\\\\GPU Engine(*)\\\\Utilization Percentage": []}},
        "processes": [[4321, "vmwp", 1700000000.5], [9000, "blender", None]]}})
def say(text): sys.stdout.write(text + "\\n"); sys.stdout.flush()
def stream(**more):
    t = 0
    while True: t += 1; say(line(t, **more)); time.sleep(0.2)
"""


class Machine:
    """A WSL machine with one process of ours at work, pid 700, and ourselves, pid 650."""
    def __init__(self, tmp, body, **more):
        self.tmp = tempfile.mkdtemp(dir=tmp)
        self.root, self.started = f"{self.tmp}/root", f"{self.tmp}/started"
        shutil.copytree(f"{CASES}/wsl/exit_and_pid_reuse/root-t0", self.root, symlinks=True)
        for folder, _, _ in os.walk(self.root): os.chmod(folder, 0o755)
        relink.relink(self.root)
        with open(f"{self.tmp}/scenario.txt", "w") as f: f.write(f"driver 591.44\ndevice 0\n name RTX\n pci 00000000:01:00.0\n mem_total {TOTAL}\n mem_used {8 * GIB}\n util_gpu 40\n util_mem 10\n driver_model 0\n")
        with open(f"{self.tmp}/powershell", "w") as f: f.write(HEAD.format(python=sys.executable, started=self.started) + body)
        os.chmod(f"{self.tmp}/powershell", 0o755)
        self.env = {"GPUTASKMAN_SYSROOT": self.root, "GPUTASKMAN_NVML": FAKE_NVML, "FAKE_NVML_SCENARIO": f"{self.tmp}/scenario.txt", "GPUTASKMAN_POWERSHELL": f"{self.tmp}/powershell",
                    "GPUTASKMAN_SELF_PID": "650", "XDG_CACHE_HOME": f"{self.tmp}/cache"} | more
        self.out = f"{self.tmp}/r.jsonl"

    def record(self, *args):
        self.process = subprocess.Popen([PROGRAM, "record", "--all", "-i", "0.3", *args, "-o", self.out], env=environment(**self.env), stderr=subprocess.PIPE, text=True)
        return self

    def lines(self):
        try: text = open(self.out).read()
        except OSError: return []
        return [json.loads(l) for l in text.split("\n")[:-1]]

    def last(self): lines = self.lines(); return lines[-1] if lines else {}
    def source(self): return next((s for s in self.last().get("sources", []) if s["name"] == "windows"), {})
    def row(self, label): return next((p for p in self.last().get("processes", []) if p["label"] == label), None)
    def use(self, label): row = self.row(label); return row["gpus"][0] if row and row["gpus"] else {}
    def pids(self): return [int(l) for l in open(self.started)] if os.path.exists(self.started) else []
    def running(self): return [p for p in self.pids() if os.path.exists(f"/proc/{p}") and open(f"/proc/{p}/stat").read().split(") ")[1][0] != "Z"]
    def state(self, *wanted, seconds=30): return wait_for(lambda: self.source().get("state") in wanted, seconds)
    def linux_rows_stand(self): return bool(self.row("700")) and bool(self.row("650")) and self.last()["adapters"][0]["memory"]["vram_used_bytes"] == 8 * GIB

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=20)
        return self


def behaves(tmp):
    m = Machine(tmp, "stream()").record()
    check("the stream is live", m.state("ok"), m.source())
    check("the Linux process is matched", wait_for(lambda: m.use("700").get("vram_inferred_bytes") == 4 * GIB, 20) and m.use("700")["inferred_by"] == "matched", m.use("700"))
    check("the virtual machine is measured, and the Windows program", m.use("WSL VM").get("vram_bytes") == 4 * GIB and m.use("W:9000").get("vram_bytes") == GIB)
    memory = m.last()["adapters"][0]["memory"]
    check("Linux rows are in no total", memory["attributed_bytes"] == 5 * GIB and memory["unattributed_bytes"] == 3 * GIB, memory)
    check("it was started once", len(m.pids()) == 1, m.pids())
    m.end()
    check("it ends with us", wait_for(lambda: not m.running(), 10), m.running())
    m = Machine(tmp, "stream()").record()
    m.state("ok")
    m.process.kill(); m.process.wait()
    check("also when we are killed", wait_for(lambda: not m.running(), 10), m.running())


def asked_not_to(tmp):
    m = Machine(tmp, "stream()").record("--no-host", "--count", "2")
    m.process.wait(timeout=60)
    check("--no-host starts nothing and says so", not m.pids() and m.source().get("state") == "off" and m.source().get("code") == "host_off", m.source())
    check("memory is unavailable, with that reason", m.use("700").get("vram_unattributed_reasons") == ["host_off"] and m.use("700").get("vram_bytes") is None, m.use("700"))
    late = Machine(tmp, "")
    os.rename(f"{late.root}/proc/sys/fs/binfmt_misc/WSLInterop", f"{late.root}/proc/sys/fs/binfmt_misc/WSLInterop-late")
    with open(f"{late.tmp}/powershell", "a") as f: f.write("stream()\n")
    rc, out, err = run([PROGRAM, "--once", "--all"], **late.env)
    check("WSLInterop-late is interop too", rc == 0 and "Windows live" in out and "WSL VM" in out, out + err)
    os.remove(f"{late.root}/proc/sys/fs/binfmt_misc/WSLInterop-late")
    rc, out, err = run([PROGRAM, "--once", "--all"], **late.env)
    check("without it there is none", rc == 0 and "no interop" in out and "WSL VM" not in out and "700" in out, out + err)


def first_kind(tmp):
    """WSL 1 is no WSL to us: it has no GPU, and says what to do."""
    m = Machine(tmp, "stream()", GPUTASKMAN_NVML=None, FAKE_NVML_SCENARIO=None)
    with open(f"{m.root}/proc/sys/kernel/osrelease", "w") as f: f.write("4.4.0-19041-Microsoft\n")
    rc, out, err = run([PROGRAM, "--once"], **m.env)
    check("WSL 1 has no GPU, and it is told how it could have one", rc == 3 and "wsl --set-version" in err and not m.pids(), (rc, err))


def described(tmp):
    """Windows says which adapter is whose: an integrated GPU that happens to use as much as the card is not taken for it."""
    hello = {"event": "hello", "adapters": [{"luid": "0x00000000_0x0000D1A2", "name": "NVIDIA", "vendor_id": 0x10DE, "dedicated_bytes": 17 << 30, "shared_limit_bytes": 32 << 30},
                                            {"luid": "0x00000000_0x00000005", "name": "UHD", "vendor_id": 0x8086, "dedicated_bytes": 128 << 20, "shared_limit_bytes": 16 << 30}]}
    body = f"""
def both(t):
    line_ = json.loads(line(t)); pdh = line_["pdh"]
    pdh["\\\\GPU Adapter Memory(*)\\\\Dedicated Usage"].append(["luid_0x00000000_0x00000005_phys_0", 8 << 30])
    pdh["\\\\GPU Process Memory(*)\\\\Local Usage"] += [["pid_9001_luid_0x00000000_0x00000005_phys_0", 900 << 20], ["pid_9002_luid_0x00000000_0x00000005_phys_0", 20 << 30]]
    return json.dumps(line_)
HELLO = {hello!r}
t = 0
while True: t += 1; (say(json.dumps(HELLO)) if t == 2 else None); say(both(t)); time.sleep(0.2)
"""
    m = Machine(tmp, body).record()
    check("the adapter of the card's vendor is the card", wait_for(lambda: m.use("W:9000").get("adapter") == 0 and m.last()["adapters"][0]["aliases"] == ["luid:0x00000000_0x0000d1a2"], 20), m.last().get("adapters", [{}])[0].get("aliases"))
    check("what an integrated GPU uses of the system's memory is no phantom", m.use("W:9001").get("vram_bytes") == 900 << 20, m.use("W:9001"))
    other = (m.last()["adapters"] + [{}])[1]
    check("a GPU that only Windows knows is listed after the card, as Windows tells it", (other.get("id"), other.get("name"), other.get("vendor"), other.get("kind")) == ("luid:0x00000000_0x00000005", "UHD", "intel", "integrated") and m.use("W:9001")["adapter"] == 1 and other["not_measured"].get("kind") == "inferred", other)
    check("what is more than all it may use is one", m.use("W:9002").get("vram_unattributed_reasons") == ["larger_than_adapter"], m.use("W:9002"))
    m.end()


def only_windows_knows(tmp):
    """No library here speaks for this GPU: Windows' own figures stand, and vanish when Windows is silent, but not the GPU."""
    hello = {"event": "hello", "adapters": [{"luid": "0x00000000_0x0000D1A2", "name": "AMD Radeon RX 7900 XTX", "vendor_id": 0x1002, "dedicated_bytes": 24 << 30, "shared_limit_bytes": 32 << 30},
                                            {"luid": "0x00000000_0x00000077", "name": "of an earlier start", "vendor_id": 0x1002, "dedicated_bytes": 24 << 30, "shared_limit_bytes": 1},
                                            {"luid": "0x00000000_0x00000009", "name": "Microsoft Basic Render Driver", "vendor_id": 0x1414, "dedicated_bytes": 0, "shared_limit_bytes": 1}]}
    body = f"""
def loaded(t):
    d = json.loads(line(t)); engine = "pid_%d_luid_0x00000000_0x0000D1A2_phys_0_eng_%d_engtype_%s"
    d["pdh"]["\\\\GPU Engine(*)\\\\Utilization Percentage"] = [[engine % (9000, 0, "3D"), 30], [engine % (4321, 0, "3D"), 25.5], [engine % (9000, 1, "Copy"), 40]]
    d["pdh"]["\\\\GPU Adapter Memory(*)\\\\Shared Usage"] = [["luid_0x00000000_0x0000D1A2_phys_0", 1 << 30]]
    return json.dumps(d)
say(json.dumps({hello!r})); t = 0
"""
    env = {"GPUTASKMAN_NVML": None, "FAKE_NVML_SCENARIO": None}
    endless = Machine(tmp, body + "while True: t += 1; say(loaded(t)); time.sleep(0.2)", **env)
    rc, out, err = run([PROGRAM, "--json", "--all"], **endless.env)
    snapshot = json.loads(out) if rc == 0 else {"adapters": []}
    check("an AMD GPU without ROCm's library is there", rc == 0 and [a["name"] for a in snapshot["adapters"]] == ["AMD Radeon RX 7900 XTX"], (rc, err))
    card = snapshot["adapters"][0] if snapshot["adapters"] else {"memory": {}}
    check("its memory, from the adapter's counters", (card["memory"].get("vram_total_bytes"), card["memory"].get("vram_used_bytes"), card["memory"].get("shared_used_bytes"), card["memory"].get("attributed_bytes")) == (24 * GIB, 8 * GIB, GIB, 5 * GIB), card["memory"])
    check("its load is that of the busiest engine, over its processes", card.get("load_percent") == 55.5 and card["engines_percent"]["copy"] == 40 and "load_percent" not in card["not_measured"], card.get("load_percent"))
    row = next((p for p in snapshot.get("processes", []) if p["label"] == "700"), {"gpus": [{}]})
    check("Linux processes are matched on it", row["gpus"][0].get("adapter") == 0 and row["gpus"][0].get("inferred_by"), row["gpus"])
    terminal = Terminal(PROGRAM, 100, 20, **endless.env)
    check("the live screen starts with it", terminal.wait("AMD Radeon RX 7900 XTX|Radeon RX 7900", 30), terminal.text())
    terminal.keys("q"); terminal.close()
    rc, _, err = run([PROGRAM, "--json", "--no-host"], **endless.env)
    check("with --no-host there is none", rc == 3 and "Windows" in err, (rc, err))
    silent = Machine(tmp, body + "say(loaded(1)); say(loaded(2)); time.sleep(1000)", **env).record()
    check("when Windows falls silent it stays, without figures", silent.state("stale") and silent.last()["adapters"][0]["name"] == "AMD Radeon RX 7900 XTX" and silent.last()["adapters"][0]["memory"]["vram_used_bytes"] is None and silent.last()["adapters"][0]["unavailable"].get("load_percent") == "stale", silent.last().get("adapters"))
    silent.end()


def slow(tmp):
    m = Machine(tmp, "time.sleep(2)\nstream()")
    rc, out, err = run([PROGRAM, "--json", "--all"], **m.env)
    snapshot = json.loads(out) if rc == 0 else {}
    check("one-shot output waits for the first sample", any(p["label"] == "WSL VM" for p in snapshot.get("processes", [])), out[:300] + err)
    m = Machine(tmp, 'out = line(1)\nsys.stdout.write(out[:200]); sys.stdout.flush(); time.sleep(1); say(out[200:])\ntime.sleep(0.3); say(line(2)); stream()').record()
    check("half a line is waited for", m.state("ok") and m.use("WSL VM").get("vram_bytes") == 4 * GIB, m.source())
    m.end()


def header(tmp):
    """How it stands with Windows is told on any screen: what stays as it is behind the mode, trouble by itself."""
    silent, off = Machine(tmp, "time.sleep(1000)"), Machine(tmp, "stream()")
    broken = Machine(tmp, "say(line(1)); sys.exit(3)")
    os.remove(f"{off.root}/proc/sys/fs/binfmt_misc/WSLInterop")
    for machine, width, words in ((silent, 100, "WSL, Windows starting"), (off, 80, "WSL, no interop"), (off, 40, "WSL, no interop"), (broken, 100, r"WSL · .*Windows failed"), (broken, 80, r"WSL · .*Windows!")):
        terminal = Terminal(PROGRAM, width, 12, **machine.env)
        check(f"{width} columns say: {words}", wait_for(lambda: re.search(words, terminal.lines()[0]), 30), terminal.lines()[0])
        terminal.keys("q")
        terminal.close()


def torments(tmp):
    flood = Machine(tmp, "out = line(1)\nwhile True: sys.stdout.write(out + '\\n')").record()
    check("a flood of samples: the newest counts", flood.state("ok") and wait_for(lambda: len(flood.lines()) >= 4, 30), flood.source())
    check("... and the rows stand", flood.linux_rows_stand())
    flood.end()
    dies = Machine(tmp, "say(line(1)); say(line(2)); sys.exit(3)").record()
    check("one that dies is a state, with its exit status", dies.state("failed") and "exit status 3" in (dies.source()["detail"] or ""), dies.source())
    check("... the Linux rows stay, without memory", dies.linux_rows_stand() and dies.use("700")["vram_bytes"] is None and dies.use("700")["vram_unattributed_reasons"] == ["call_failed"], dies.use("700"))
    endless = Machine(tmp, "while True: sys.stdout.write('x' * 65536)").record()
    check("a line without end is cut off", endless.state("failed") and "line of more than" in (endless.source()["detail"] or "") and endless.linux_rows_stand(), endless.source())
    check("... and its process has gone", wait_for(lambda: not endless.running(), 10), endless.running())
    endless.end()
    check("... one that dies is started again", wait_for(lambda: len(dies.pids()) >= 2, 30), dies.pids())
    dies.end()
    stalls = Machine(tmp, "say(line(1)); say(line(2)); time.sleep(1000)").record()
    check("one that stalls is stale", stalls.state("stale"), stalls.source())
    check("... memory is then unavailable", stalls.linux_rows_stand() and stalls.use("700")["vram_unattributed_reasons"] == ["stale"] and not stalls.row("WSL VM"), stalls.use("700"))
    stalls.end()
    check("... and it ends with us", wait_for(lambda: not stalls.running(), 10), stalls.running())
    utf16 = Machine(tmp, "sys.stdout.buffer.write('\\ufeff'.encode('utf-16-le'))\nwhile True: sys.stdout.buffer.write((line(1) + '\\r\\n').encode('utf-16-le')); sys.stdout.flush(); time.sleep(0.2)").record("--count", "2")
    utf16.process.wait(timeout=90)
    notes = [n["code"] for n in utf16.last().get("notes", [])]
    check("UTF-16 is no sample: skipped and counted", utf16.source().get("state") == "starting" and "host_lines_skipped" in notes and utf16.linux_rows_stand(), (utf16.source(), notes))
    mixed = Machine(tmp, "say('\\ufeff' + line(1)); say('{'); say('[]'); say('\\x1b[2J'); say(line(2)); say('nonsense'); stream()").record()
    check("lines that make no sense do not stop the stream", mixed.state("ok") and wait_for(lambda: mixed.use("WSL VM").get("vram_bytes") == 4 * GIB, 20) and len(mixed.pids()) == 1, mixed.source())
    mixed.end()
    wrong = Machine(tmp, "stream(contexts=(0, 1 << 50), app=-5)").record()
    check("what cannot be true is refused", wrong.state("ok") and wait_for(lambda: "larger_than_adapter" in (wrong.use("W:9000").get("vram_unattributed_reasons") or []), 20) and wrong.use("W:9000")["vram_bytes"] is None, wrong.use("W:9000"))
    check("... summed with nothing, matched with nothing", wrong.last()["adapters"][0]["memory"]["attributed_bytes"] == 0 and wrong.use("700").get("vram_inferred_bytes") is None and wrong.linux_rows_stand(), wrong.last()["adapters"][0]["memory"])
    wrong.end()
    absurd = Machine(tmp, """
many = [["pid_%d_luid_0x00000000_0x%08X_phys_0" % (i, i), 1] for i in range(40000)]
while True:
    d = json.loads(line(1)); d["pdh"] = {k: many for k in d["pdh"]}; d["processes"] = [[i, "p", None] for i in range(20000)]; say(json.dumps(d))
    d = json.loads(line(1)); d["pdh"] = {k: [["pid_%d_luid_0x0_0x%X_phys_0" % (i, i), 1] for i in range(8000)] for k in d["pdh"]}; d["processes"] = [[i, "p", None] for i in range(20000)]; say(json.dumps(d)); time.sleep(0.2)
""").record()
    check("lists longer than any: the samples go on", wait_for(lambda: len(absurd.lines()) >= 6, 60) and absurd.linux_rows_stand(), len(absurd.lines()))
    absurd.end()
    missing = Machine(tmp, "", GPUTASKMAN_POWERSHELL="/nonexistent/powershell").record("--count", "2")
    missing.process.wait(timeout=90)
    check("a PowerShell that is not there is a state", missing.source().get("state") == "failed" and missing.linux_rows_stand(), missing.source())
    bye = Machine(tmp, "say(json.dumps({'event': 'bye', 'text': 'PowerShell runs in ConstrainedLanguage mode'}))").record()
    check("what PowerShell says at its end is told", bye.state("failed") and "ConstrainedLanguage" in (bye.source()["detail"] or ""), bye.source())
    with open(f"{bye.tmp}/new", "w") as f: f.write(HEAD.format(python=sys.executable, started=bye.started) + "stream()")
    os.chmod(f"{bye.tmp}/new", 0o755); os.rename(f"{bye.tmp}/new", f"{bye.tmp}/powershell")
    check("... and no longer once it has begun anew", bye.state("ok") and wait_for(lambda: bye.source().get("state") == "ok" and not bye.source()["detail"], 10), bye.source())
    bye.end()


with tempfile.TemporaryDirectory() as tmp:
    behaves(tmp), asked_not_to(tmp), first_kind(tmp), described(tmp), only_windows_knows(tmp), slow(tmp), header(tmp), torments(tmp)
done()
