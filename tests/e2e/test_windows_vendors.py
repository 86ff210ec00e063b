#!/usr/bin/env python3
"""NVML and ADL beside Windows' own counters, on recorded Windows machines. usage: test_windows_vendors.py PROGRAM FAKE_ADL FAKE_NVML CASES

Expected values: SPEC section 3 and reference windows.md section 3; layouts are the stand-ins' own."""
import atexit, json, os, shutil, sys, tempfile

from tap import check, done, run

PROGRAM, ADL, NVML, CASES = (os.path.abspath(a) for a in sys.argv[1:5])
MIB, GIB = 1 << 20, 1 << 30
CARD = """adapter 3
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
sensor 15 40
sensor 19 33
sensor 23 250
sensor 73 312
sensor 1 2400
sensor 2 1249
sensor 41 16
"""


class Machine:
    def __init__(self, tmp, case, adl=None, nvml=None, **adapter):
        self.folder = tempfile.mkdtemp(dir=tmp)
        for name in ("counters.jsonl", "processes.json"): shutil.copy(f"{CASES}/windows/{case}/{name}", self.folder)
        adapters = json.load(open(f"{CASES}/windows/{case}/adapters.json"))
        adapters[0] |= adapter
        with open(f"{self.folder}/adapters.json", "w") as f: json.dump(adapters, f)
        self.env = {"GPUTASKMAN_RECORDED": self.folder}
        for text, variable, library, scenario in ((adl, "GPUTASKMAN_ADL", ADL, "FAKE_ADL"), (nvml, "GPUTASKMAN_NVML", NVML, "FAKE_NVML_SCENARIO")):
            if text is None: continue
            with open(f"{self.folder}/{scenario}", "w") as f: f.write(text)
            self.env |= {variable: library, scenario: f"{self.folder}/{scenario}"}

    def json(self):
        self.rc, out, self.err = run([PROGRAM, "--json", "--all"], **self.env)
        return json.loads(out) if self.rc == 0 else {}


def source(snapshot, name): return next((s for s in snapshot.get("sources", []) if s["name"] == name), {})


def amd(tmp):
    case, at = "engines-overlap-3d-compute", {"bus": 3, "device": 0, "function": 0, "vendor_id": 0x1002, "device_id": 0x744c}
    alone = Machine(tmp, case, **at).json()
    machine = Machine(tmp, case, CARD, **at)
    snapshot = machine.json()
    card = (snapshot.get("adapters") or [{}])[0]
    check("ADL and Windows speak of one adapter", len(snapshot.get("adapters", [])) == 1, machine.err)
    check("its sensors are ADL's", (card["temperatures_celsius"]["edge"], card["temperatures_celsius"]["hotspot"], card["fan_rpm"], card["fan_percent"], card["power_watts"], card["clocks_mhz"]["graphics"], card["clocks_mhz"]["memory"], card["pcie"]["width"]) == (55, 70, 1500, 40, 312, 2400, 1249, 16), card)
    check("what cannot be true is refused", card["temperatures_celsius"]["memory"] is None and card["unavailable"]["temperatures_celsius.memory"] == "incredible_value", card["temperatures_celsius"])
    own = alone["adapters"][0]
    check("memory, load and engines stay Windows'", all(card[k] == own[k] for k in ("memory", "load_percent", "engines_percent")) and card["load_percent"] != 33, (card["load_percent"], own["load_percent"]))
    check("ADL's own count of memory is said in words", "2048 MiB" in source(snapshot, "adl")["detail"], source(snapshot, "adl"))
    other = Machine(tmp, case, CARD.replace("at 3 0 0", "at 9 0 0"), **at).json()
    check("a card at another address is another adapter", sorted(a["id"] for a in other["adapters"]) == sorted([own["id"], "pci:0000:09:00.0"]), [a["id"] for a in other["adapters"]])
    for what, scenario, state, words in (("refuses", "refuse -2\n" + CARD, "failed", "-2"), ("crashes", "crash log\n" + CARD, "failed", "SIGABRT"), ("finds nothing", "", "failed", "no GPU")):
        snapshot = Machine(tmp, case, scenario, **at).json()
        check(f"an ADL that {what} is a source, and takes nothing with it", source(snapshot, "adl").get("state") == state and words in source(snapshot, "adl")["detail"] and snapshot["adapters"][0]["memory"] == own["memory"], source(snapshot, "adl"))
    apu = Machine(tmp, "apu-unified-large-model", CARD.replace("sensor 73 312\n", "").replace("adapter 3", "adapter 3\nfamily 32", 1), **at).json()
    check("power of an APU's chip is told to include the CPU", apu["adapters"][0]["power_watts"] == 250 and "includes the CPU" in source(apu, "adl")["detail"], source(apu, "adl"))


def nvidia(tmp):
    case, at = "dgpu-browser-game-llm", {"bus": 1, "device": 0, "function": 0, "vendor_id": 0x10de, "device_id": 0x2684}
    scenario = "driver 551.23\ndevice 0\n name NVIDIA GeForce RTX 4090\n pci 00000000:01:00.0\n mem_total 24564MiB\n mem_used 1GiB\n util_gpu 12\n temp 61\n power_mw 120000\n driver_model 0\nproc 0 pid=15300 type=C mem=na\nproc 0 pid=4242 type=C mem=na\n"
    own = Machine(tmp, case, **at).json()
    snapshot = Machine(tmp, case, nvml=scenario, **at).json()
    card, alone = snapshot["adapters"][0], own["adapters"][0]
    check("NVML and Windows speak of one adapter", len(snapshot["adapters"]) == 1 and card["temperatures_celsius"]["edge"] == 61 and card["power_watts"] == 120, snapshot["adapters"])
    check("memory and load stay Windows'", all(card[k] == alone[k] for k in ("memory", "load_percent")), (card["memory"], card["load_percent"]))
    rows = {p["pid"]: p["gpus"][0] for p in snapshot["processes"] if p["gpus"]}
    before = {p["pid"]: p["gpus"][0] for p in own["processes"] if p["gpus"]}
    check("a process has the memory that Windows counts, once", rows[15300]["vram_bytes"] == before[15300]["vram_bytes"] and len(rows) >= len(before), rows.keys())
    tcc = Machine(tmp, case, nvml=scenario.replace("01:00.0", "05:00.0").replace("driver_model 0", "driver_model 1").replace("pid=4242 type=C mem=na", "pid=4242 type=C mem=8GiB"), **at).json()
    row = next((p["gpus"][0] for p in tcc["processes"] if p["pid"] == 4242), {})
    check("a card without Windows' memory manager has NVML's memory", row.get("vram_bytes") == 8 * GIB and row["adapter_id"] == "pci:0000:05:00.0" and "TCC" in source(tcc, "nvml")["detail"], (row, source(tcc, "nvml")))


if __name__ == "__main__":
    tmp = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, tmp, True)
    amd(tmp)
    nvidia(tmp)
    done()
