#!/usr/bin/env python3
"""AMD in WSL, through a stand-in for librocdxg (tests/fake-rocdxg). usage: test_rocdxg.py PROGRAM FAKE_ROCDXG OLD_ROCDXG FAKE_NVML CASES

Expected values: SPEC section 3 and reference macos-ascend.md section 13; layouts are the stand-in's own."""
import json, os, shutil, subprocess, sys, tempfile

from tap import check, done, environment, run, wait_for
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases"))
import relink

PROGRAM, FAKE, OLD, FAKE_NVML, CASES = sys.argv[1:6]
MIB, GIB = 1 << 20, 1 << 30
CARD = """device
bdf 0 3 0 0
name AMD Radeon RX 7900 XTX
version 25.20.01.17-250909a-418415C-AMD-Software
id 0x744c
memory 8000 24560
sensors 55 70 80 87 40 312 2400 1500 55
limit 355
memory_clock 1249
most_clocks 3220 1250
link 8 16 4
"""


class Machine:
    def __init__(self, tmp, scenario, **more):
        self.tmp = tempfile.mkdtemp(dir=tmp)
        self.root = f"{self.tmp}/root"
        shutil.copytree(f"{CASES}/wsl/exit_and_pid_reuse/root-t0", self.root, symlinks=True)
        for folder, _, _ in os.walk(self.root): os.chmod(folder, 0o755)
        relink.relink(self.root)
        self.say(scenario)
        self.env = {"GPUTASKMAN_SYSROOT": self.root, "GPUTASKMAN_ROCDXG": FAKE, "FAKE_ROCDXG_SCENARIO": f"{self.tmp}/scenario.txt",
                    "GPUTASKMAN_SELF_PID": "650", "XDG_CACHE_HOME": f"{self.tmp}/cache"} | more

    def say(self, scenario):
        with open(f"{self.tmp}/new", "w") as f: f.write(scenario)
        os.rename(f"{self.tmp}/new", f"{self.tmp}/scenario.txt")

    def json(self, *args):
        self.rc, out, self.err = run([PROGRAM, "--json", "--all", *args], GPUTASKMAN_SAMPLE_TIMES="0,1", **self.env)  # nothing sleeps
        return json.loads(out) if self.rc == 0 else {}

    def card(self, *args): return (self.json(*args).get("adapters") or [{}])[0]

    def plays(self, *lines):
        """The Windows side says these lines."""
        with open(f"{self.tmp}/lines", "w") as f: f.writelines(json.dumps(l) + "\n" for l in lines)
        with open(f"{self.tmp}/powershell", "w") as f: f.write(f'#!/bin/sh\ncat "{self.tmp}/lines"\nexec cat\n')
        os.chmod(f"{self.tmp}/powershell", 0o755)
        self.env["GPUTASKMAN_POWERSHELL"] = f"{self.tmp}/powershell"
        return self


def source(snapshot, name="rocdxg"): return next((s for s in snapshot.get("sources", []) if s["name"] == name), {})


def figures(tmp):
    machine = Machine(tmp, CARD)
    card = machine.card()
    check("an AMD GPU in WSL is an adapter", (card.get("id"), card.get("vendor"), card.get("name")) == ("pci:0000:03:00.0", "amd", "AMD Radeon RX 7900 XTX"), (card, machine.err))
    if not card: return
    memory = card["memory"]
    check("memory", (memory["vram_total_bytes"], memory["vram_used_bytes"], memory["vram_free_bytes"]) == (24560 * MIB, 8000 * MIB, 16560 * MIB), memory)
    check("the driver's version, without the build's name", card["driver_version"] == "25.20.01.17", card["driver_version"])
    check("load is the firmware's word", (card["load_percent"], card["memory_activity_percent"]) == (87, 40) and card["not_measured"].get("load_percent") == "reported", card["not_measured"])
    check("power and temperature are sensors", not {k for k in card["not_measured"] if "power" in k or "temperature" in k}, card["not_measured"])
    expected = {"power_watts": 312, "power_limit_watts": 355, "fan_rpm": 1500, "fan_percent": 55}
    for key, wanted in expected.items(): check(key, card[key] == wanted, card[key])
    check("temperatures", list(card["temperatures_celsius"].values()) == [55, 70, 80], card["temperatures_celsius"])
    check("clocks", (card["clocks_mhz"]["graphics"], card["clocks_mhz"]["memory"], card["max_clocks_mhz"]["graphics"], card["max_clocks_mhz"]["memory"]) == (2400, 1249, 3220, 1250), (card["clocks_mhz"], card["max_clocks_mhz"]))
    check("link", tuple(card["pcie"][k] for k in ("width", "max_width", "max_generation")) == (8, 16, 4), card["pcie"])
    rc, out, err = run([PROGRAM, "--list-gpus"], **machine.env)
    check("it is listed", rc == 0 and "RX 7900 XTX" in out, out + err)
    for what, scenario in {"without struct_size": "old_layout\n" + CARD, "two nodes of the CPU": "nodes 2\n" + CARD, "one that prints": "noise\n" + CARD}.items():
        card = Machine(tmp, scenario).card()
        check(f"the same from a library of another kind: {what}", card.get("id") == "pci:0000:03:00.0" and card["name"] == "AMD Radeon RX 7900 XTX" and card["memory"]["vram_used_bytes"] == 8000 * MIB, card)
    card = Machine(tmp, "size 4000\n" + CARD).card()
    check("a description of another size is left alone, memory is not", card.get("id") == "rocdxg:0" and card["name"] is None and card["memory"]["vram_total_bytes"] == 24560 * MIB, card)


def unknown(tmp):
    card = Machine(tmp, CARD.replace("sensors 55 70 80 87 40 312 2400 1500 55", "sensors -1 70 -1 0 -1 -1 -1 -1 -1")).card()
    unavailable = [card["temperatures_celsius"]["edge"], card["power_watts"], card["fan_rpm"], card["memory_activity_percent"]]
    check("a sensor that the card lacks is unavailable", all(f is None for f in unavailable), unavailable)
    check("a load of 0 is a load", card["load_percent"] == 0, card["load_percent"])
    card = Machine(tmp, CARD.replace("sensors 55 70 80 87", "sensors 468 54000 80 104")).card()
    check("what cannot be true is refused", card["load_percent"] is None and card["temperatures_celsius"]["hotspot"] is None and card["temperatures_celsius"]["memory"] == 80, card)
    for used in ("0 24560", "30000 24560"):
        memory = Machine(tmp, CARD.replace("memory 8000 24560", f"memory {used}")).card()["memory"]
        check(f"{used} MiB: total known, used not", memory["vram_total_bytes"] == 24560 * MIB and memory["vram_used_bytes"] is None and memory["vram_free_bytes"] is None, memory)
    machine = Machine(tmp, "fail sensors 11\nfail info 11\nfail memory 1\n" + CARD)
    card = machine.card()
    check("calls that fail make their figures unknown, not the card", card.get("id") == "rocdxg:0" and card["load_percent"] is None and card["memory"]["vram_total_bytes"] is None, (card, machine.err))
    two = Machine(tmp, CARD + CARD).json()
    check("two that claim one address are two", sorted(a["id"] for a in two["adapters"]) == ["pci:0000:03:00.0", "rocdxg:1"], [a["id"] for a in two["adapters"]])
    check("more than fit are not too many", len(Machine(tmp, "".join(CARD.replace("0 3 0 0", f"0 {i + 1} 0 0") for i in range(30))).json()["adapters"]) == 16)


def refused(tmp):
    for what, scenario, words in (("it finds no GPU", "", "finds no AMD GPU"), ("Windows does not answer", "fail open 20\n" + CARD, "does not answer"), ("it cannot look", "fail acquire 1\n" + CARD, "failed")):
        machine = Machine(tmp, scenario)
        machine.json()
        check(f"{what}: no supported GPU, and why", machine.rc == 3 and words in machine.err and "librocdxg" in machine.err, machine.err)
    machine = Machine(tmp, CARD, GPUTASKMAN_ROCDXG=OLD)
    machine.json()
    check("a library that cannot monitor says so", machine.rc == 3 and "too old" in machine.err, machine.err)
    machine = Machine(tmp, CARD, GPUTASKMAN_ROCDXG="/nonexistent/librocdxg.so.1")
    machine.json()
    check("one that is not there", machine.rc == 3 and "/nonexistent" in machine.err, machine.err)
    machine = Machine(tmp, "crash memory\n" + CARD)
    machine.json()
    check("a crash is a state with its signal", machine.rc == 3 and "SIGABRT" in machine.err, machine.err)
    native = Machine(tmp, CARD)
    with open(f"{native.root}/proc/sys/kernel/osrelease", "w") as f: f.write("6.12.0-generic\n")
    with open(f"{native.root}/proc/version", "w") as f: f.write("Linux version 6.12.0-generic\n")
    native.json()
    check("it is no matter outside WSL", native.rc == 3 and "rocdxg" not in native.err, native.err)


def beside_nvidia(tmp):
    with open(f"{tmp}/nvml.txt", "w") as f: f.write(f"driver 591.44\ndevice 0\n name RTX\n pci 00000000:01:00.0\n mem_total {16 * GIB}\n mem_used {2 * GIB}\n driver_model 0\n")
    both = {"GPUTASKMAN_NVML": FAKE_NVML, "FAKE_NVML_SCENARIO": f"{tmp}/nvml.txt"}
    snapshot = Machine(tmp, CARD, **both).json()
    check("a GPU of each vendor", [a["vendor"] for a in snapshot["adapters"]] == ["nvidia", "amd"], [a["vendor"] for a in snapshot["adapters"]])
    snapshot = Machine(tmp, "crash open\n", **both).json()
    check("its crash does not harm NVIDIA's", [a["vendor"] for a in snapshot["adapters"]] == ["nvidia"] and snapshot["adapters"][0]["memory"]["vram_used_bytes"] == 2 * GIB and source(snapshot)["state"] == "failed", source(snapshot))


def with_windows(tmp):
    name, path = "pid_%d_luid_0x00000000_0x0000D1A2_phys_0", "\\GPU Process Memory(*)\\"
    lists = [[name % 4321, 6 * GIB], [name % 9000, GIB]]
    line = {"t": 1, "pdh": {path + "Local Usage": lists, path + "Non Local Usage": [[n, 0] for n, _ in lists], path + "Total Committed": lists,
            "\\GPU Adapter Memory(*)\\Dedicated Usage": [["luid_0x00000000_0x0000D1A2_phys_0", 8000 * MIB]], "\\GPU Engine(*)\\Utilization Percentage": []},
            "processes": [[4321, "vmwp", 1700000000.5], [9000, "blender", None]]}
    machine = Machine(tmp, CARD).plays(line)
    snapshot = machine.json()
    rows = {p["label"]: p for p in snapshot.get("processes", [])}
    check("Windows' rows are on the AMD GPU, paired by its use", rows["W:9000"]["gpus"][0]["adapter_id"] == "pci:0000:03:00.0" and rows["WSL VM"]["gpus"][0]["vram_bytes"] == 6 * GIB, rows.keys())
    check("and summed there", snapshot["adapters"][0]["memory"]["attributed_bytes"] == 7 * GIB, snapshot["adapters"][0]["memory"])


def own_helper(tmp):
    """Our helper's context is not empty, as NVML's is: it takes part in the matching, so that nobody gets it by mistake."""
    name, path = "pid_%d_luid_0x00000000_0x0000D1A2_phys_0", "\\GPU Process Memory(*)\\"
    line = {"t": 1, "pdh": {path + "Local Usage": [[name % 4321, 12 * MIB], [name % 4321, 4 * GIB]],
                            "\\GPU Adapter Memory(*)\\Dedicated Usage": [["luid_0x00000000_0x0000D1A2_phys_0", 8000 * MIB]]}, "processes": [[4321, "vmwp", None]]}
    machine = Machine(tmp, CARD).plays(line)
    ours, helper = f"{machine.root}/proc/650", f"{machine.root}/proc/651"
    shutil.copytree(ours, helper, symlinks=True)
    os.remove(f"{ours}/fd/3")
    for file, old, new in (("stat", "650 (gtm) S 1 650 650", "651 (gtm) S 650 650 650"), ("stat", " 9000 ", " 11000 "), ("status", "650", "651"), ("status", "PPid:\t1", "PPid:\t650"), ("cmdline", "gtm\0", "gtm\0--helper\0rocdxg\0")):
        text = open(f"{helper}/{file}").read()
        with open(f"{helper}/{file}", "w") as f: f.write(text.replace(old, new))
    rows = {p["label"]: p["gpus"][0] for p in machine.json().get("processes", []) if p["gpus"]}
    check("the newer context is our helper's, the older one the process's", rows.get("700", {}).get("vram_inferred_bytes") == 4 * GIB and rows.get("651", {}).get("vram_inferred_bytes") == 12 * MIB, rows)


def live(tmp):
    machine = Machine(tmp, CARD)
    out = f"{machine.tmp}/r.jsonl"
    process = subprocess.Popen([PROGRAM, "record", "--all", "-i", "0.3", "-o", out], env=environment(**machine.env), stderr=subprocess.PIPE, text=True)
    def last():
        try: lines = open(out).read().split("\n")[:-1]
        except OSError: return {}
        return json.loads(lines[-1]) if lines else {}
    def used(): return (last().get("adapters") or [{"memory": {}}])[0]["memory"].get("vram_used_bytes")
    check("it is live", wait_for(lambda: used() == 8000 * MIB, 30), last())
    machine.say(CARD.replace("memory 8000", "memory 9000"))
    check("and follows", wait_for(lambda: used() == 9000 * MIB, 30), used())
    machine.say("crash memory\n" + CARD)
    check("a crash while it runs: the card stays, its figures do not", wait_for(lambda: source(last()).get("state") == "failed" and used() is None and last()["adapters"], 30), source(last()))
    machine.say(CARD)
    check("it is started again", wait_for(lambda: used() == 8000 * MIB, 60), source(last()))
    machine.say("hang sensors\n" + CARD)
    check("a call that never returns: given up, and the rows go on", wait_for(lambda: source(last()).get("state") in ("failed", "stale") and used() is None, 60), source(last()))
    process.terminate()
    check("it ends at once though its helper hangs", process.wait(timeout=20) == 0)


with tempfile.TemporaryDirectory() as tmp:
    figures(tmp), unknown(tmp), refused(tmp), beside_nvidia(tmp), with_windows(tmp), own_helper(tmp), live(tmp)
done()
