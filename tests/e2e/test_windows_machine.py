#!/usr/bin/env python3
"""Recorded Windows machines from outside: NVIDIA's library beside the system's own counters, words, recordings. usage: test_windows_machine.py PROGRAM FAKE_NVML CASES

Memory and load are the system's, telemetry is the library's, and where the two can't be told to be one card they stay two.
"""
import json, os, sys, tempfile

from tap import check, done, run, snapshots

PROGRAM, FAKE_NVML, CASES = sys.argv[1:4]
GIB = 1 << 30
T0 = 134140000000000000
COUNTERS = {"local": "GPU Process Memory(*)\\Local Usage", "non_local": "GPU Process Memory(*)\\Non Local Usage", "committed": "GPU Process Memory(*)\\Total Committed",
            "dedicated": "GPU Adapter Memory(*)\\Dedicated Usage", "shared": "GPU Adapter Memory(*)\\Shared Usage", "engine": "GPU Engine(*)\\Utilization Percentage"}
CARD, TWIN = "0x00000000_0x0000D1A2", "0x00000000_0x0000E5F6"


def adapter(luid, **more):
    return {"luid": luid, "name": "NVIDIA GeForce RTX 3080", "kind": "discrete", "dedicated_bytes": 10 * GIB, "shared_limit_bytes": 16 * GIB,
            "vendor_id": 0x10de, "device_id": 0x2206, "wddm_version": 3100, "driver_version": "31.0.15.4601", **more}


def machine(tmp, adapters, counted=True):
    """Two samples, a second apart: pid 700 holds 3 GiB of each adapter and runs a quarter of the time, pid 4 next to nothing."""
    folder = tempfile.mkdtemp(dir=tmp)
    lines = [{"collect": i, "t100ns": T0 + i * 10**7, "status": "0x00000000"} for i in (0, 1)]
    def say(i, counter, instance, first, second=0): lines.append({"s": i, "counter": "\\" + COUNTERS[counter], "instance": instance, "cstatus": "0x00000000", "first": first, "second": second})
    for i in (0, 1):
        for a in adapters if counted else []:
            luid = a["luid"]
            say(i, "local", f"pid_700_luid_{luid}_phys_0", 3 * GIB); say(i, "non_local", f"pid_700_luid_{luid}_phys_0", 0); say(i, "committed", f"pid_700_luid_{luid}_phys_0", 3 * GIB)
            say(i, "local", f"pid_4_luid_{luid}_phys_0", 4096)
            say(i, "dedicated", f"luid_{luid}_phys_0", 4 * GIB); say(i, "shared", f"luid_{luid}_phys_0", 0)
            say(i, "engine", f"pid_700_luid_{luid}_phys_0_eng_3_engtype_Cuda", 2500000 * i, T0 + i * 10**7)
    with open(f"{folder}/counters.jsonl", "w") as f: f.writelines(json.dumps(l) + "\n" for l in lines)
    with open(f"{folder}/adapters.json", "w") as f: json.dump(adapters, f)
    with open(f"{folder}/processes.json", "w") as f:
        json.dump({"0": [{"pid": 700, "name": "python.exe", "create_100ns": T0 - 10**9, "parent_pid": 4, "user": "ann", "command": ["python.exe", "-m", "sglang.launch_server", "--api-key", "hunter2"],
                          "cpu_100ns": 10**7, "working_set_bytes": GIB}, {"pid": 4, "name": "System", "create_100ns": T0 - 10**11}],
                   "1": [{"pid": 700, "name": "python.exe", "create_100ns": T0 - 10**9, "parent_pid": 4, "user": "ann", "command": ["python.exe", "-m", "sglang.launch_server", "--api-key", "hunter2"],
                          "cpu_100ns": 15 * 10**6, "working_set_bytes": GIB}, {"pid": 4, "name": "System", "create_100ns": T0 - 10**11}]}, f)
    return folder


def scenario(tmp, addresses, model=0):
    path = tempfile.mktemp(dir=tmp, suffix=".txt")
    with open(path, "w") as f:
        f.write("driver 546.01\n")
        for i, address in enumerate(addresses):
            f.write(f"device {i}\n name NVIDIA GeForce RTX 3080\n uuid GPU-00000000-0000-4000-8000-00000000000{i}\n pci {address}\n mem_total {12 * GIB}\n mem_used {5 * GIB}\n"
                    f" util_gpu 61\n util_mem 33\n temp {60 + i}\n power_mw {200000 + i}\n driver_model {model}\n")
            f.write(f"proc {i} pid=700 type=C mem={'na' if model == 0 else 2 * GIB}\nproc {i} pid=999 type=G mem={'na' if model == 0 else GIB}\n")
    return path


def take(folder, **more):
    code, out, err = run([PROGRAM, "record", "--all", "--count", "2", "-o", "-"], GPUTASKMAN_RECORDED=folder, **more)
    lines = snapshots(out)
    return lines[-1] if len(lines) == 2 else {"adapters": [], "processes": [], "error": err}


def rows(snapshot): return {(p["pid"], g["adapter_id"]): (p, g) for p in snapshot["processes"] for g in p["gpus"]}


with tempfile.TemporaryDirectory() as tmp:
    # One card, by its address.
    nvml = {"GPUTASKMAN_NVML": FAKE_NVML, "FAKE_NVML_SCENARIO": scenario(tmp, ["00000000:01:00.0"])}
    folder = machine(tmp, [adapter(CARD, bus=1, device=0, function=0)])
    s = take(folder, **nvml)
    check("one card is one adapter, by its address", [a["id"] for a in s["adapters"]] == ["pci:0000:01:00.0"], s)
    a = s["adapters"][0] if s["adapters"] else {}
    check("its LUID is an alias", a.get("aliases") == ["luid:0x00000000_0x0000d1a2"], a.get("aliases"))
    check("memory is the system's", (a["memory"]["vram_used_bytes"], a["memory"]["vram_total_bytes"], a["memory"]["attributed_bytes"]) == (4 * GIB, 10 * GIB, 3 * GIB + 4096), a["memory"])
    check("load is the system's, the driver's is kept apart", (a["load_percent"], a["driver_load_percent"]) == (25, 61), (a["load_percent"], a["driver_load_percent"]))
    check("the engine is the system's", a["engines_percent"]["compute"] == 25, a["engines_percent"])
    check("telemetry is the library's", (a["temperatures_celsius"]["edge"], a["power_watts"], a["memory_activity_percent"]) == (60, 200, 33), a)
    check("the driver's version is the one people know", a["driver_version"] == "546.01" and a["uuid"], a["driver_version"])
    check("who is there is the system's word", set(rows(s)) == {(700, "pci:0000:01:00.0"), (4, "pci:0000:01:00.0")}, set(rows(s)))
    p, g = rows(s).get((700, "pci:0000:01:00.0"), ({}, {}))
    check("what for is the library's", g.get("type") == "compute" and g.get("vram_bytes") == 3 * GIB, g)
    check("user, parent, RAM, CPU", (p["user"], p["parent_pid"], p["ram_bytes"], p["cpu_percent"]) == ("ann", 4, GIB, 50), p)
    check("an identity is the time of creation", p["id"] == f"local/700/{T0 - 10**9}", p["id"])
    check("secrets of a command line are redacted", "hunter2" not in json.dumps(s) and "[redacted]" in p["command"], p["command"])
    check("a Python server is what it serves", p["class"] == "llm", p["class"])
    check("everybody was seen", s["process_status"]["scanned"] == 2 and s["process_status"]["complete"], s["process_status"])

    # Two alike, told apart by address whatever the order.
    nvml = {"GPUTASKMAN_NVML": FAKE_NVML, "FAKE_NVML_SCENARIO": scenario(tmp, ["00000000:02:00.0", "00000000:01:00.0"])}
    s = take(machine(tmp, [adapter(CARD, bus=1, device=0, function=0), adapter(TWIN, bus=2, device=0, function=0)]), **nvml)
    check("cards that are alike keep their own temperatures", {a["id"]: a["temperatures_celsius"]["edge"] for a in s["adapters"]} == {"pci:0000:01:00.0": 61, "pci:0000:02:00.0": 60}, s)

    # Without an address: one of a kind is known by its ids, twins are not guessed at.
    nvml = {"GPUTASKMAN_NVML": FAKE_NVML, "FAKE_NVML_SCENARIO": scenario(tmp, ["00000000:01:00.0"])}
    ids = {"device_id": int(take(machine(tmp, []), **nvml)["adapters"][0]["pci_ids"]["device"], 16)}
    s = take(machine(tmp, [adapter(CARD, **ids)]), **nvml)
    check("the only one of its kind needs no address", [(a["id"], a["power_watts"]) for a in s["adapters"]] == [("luid:0x00000000_0x0000d1a2", 200)], s)
    s = take(machine(tmp, [adapter(CARD, **ids), adapter(TWIN, **ids)]), **nvml)
    check("twins without addresses are not paired by order", {a["id"]: a["power_watts"] for a in s["adapters"]} ==
          {"luid:0x00000000_0x0000d1a2": None, "luid:0x00000000_0x0000e5f6": None, "pci:0000:01:00.0": 200}, [(a["id"], a["power_watts"]) for a in s["adapters"]])

    # A card that the system does not count (TCC) is the library's own word.
    nvml = {"GPUTASKMAN_NVML": FAKE_NVML, "FAKE_NVML_SCENARIO": scenario(tmp, ["00000000:01:00.0"], model=1)}
    s = take(machine(tmp, [], counted=False), **nvml)
    check("without WDDM the library's memory and processes are used", [(a["memory"]["vram_used_bytes"], a["load_percent"]) for a in s["adapters"]] == [(5 * GIB, 61)] and
          {k[0]: g["vram_bytes"] for k, (p, g) in rows(s).items()} == {700: 2 * GIB, 999: GIB}, s)

    # Words.
    code, out, err = run([PROGRAM, "--once"], GPUTASKMAN_RECORDED=folder)
    check("the text says which system", "· Windows ·" in out and "recorded machine" in out, out)
    check("nothing speaks of Linux", not any(word in out.lower() for word in ("sudo", "/proc", "wine", "linux")), out)
    code, out, err = run([PROGRAM, "--list-gpus"], GPUTASKMAN_RECORDED=folder)
    check("the list names card, driver and kind", code == 0 and all(w in out for w in ("NVIDIA GeForce RTX 3080", "pci:0000:01:00.0", "WDDM 3.1", "31.0.15.4601", "discrete")), out + err)
    code, out, err = run([PROGRAM, "inspect", "700"], GPUTASKMAN_RECORDED=folder)
    check("one process alone", code == 0 and "python.exe" in out and "3.0 GiB measured" in out, out + err)
    code, out, err = run([PROGRAM, "inspect", "4711"], GPUTASKMAN_RECORDED=folder)
    check("one that is not there", code == 1 and "as administrator" in err and "sudo" not in err, err)
    code, out, err = run([PROGRAM, "--once"], GPUTASKMAN_RECORDED=machine(tmp, []))
    check("a Windows without a GPU says what was looked for", code == 3 and "Windows tells of" in err and "lspci" not in err, err)

    # A recording of it, summed up.
    kept = f"{tmp}/kept.jsonl"
    run([PROGRAM, "record", "--count", "2", "-o", kept], GPUTASKMAN_RECORDED=folder)
    code, out, err = run([PROGRAM, "summary", kept])
    check("a recording is summed up", code == 0 and "python.exe" in out and "RTX 3080" in out, out + err)

    # What is broken.
    for name, content, words in (("adapters.json", "{", "adapters.json:1"), ("processes.json", "[", "processes.json"), ("counters.jsonl", "\n", "no collection")):
        broken = machine(tmp, [adapter(CARD)])
        with open(f"{broken}/{name}", "w") as f: f.write(content)
        code, out, err = run([PROGRAM, "--json"], GPUTASKMAN_RECORDED=broken)
        check(f"a malformed {name} is told", code != 139 and words in out + err, (code, out[:300], err))
    code, out, err = run([PROGRAM, "--json"], GPUTASKMAN_RECORDED=tmp)
    check("a folder of no machine", code == 1 and "counters.jsonl" in err and err.count("\n") == 1, err)

done()
