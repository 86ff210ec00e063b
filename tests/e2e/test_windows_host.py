#!/usr/bin/env python3
"""The PowerShell script that reads Windows' counters, as far as it runs here. usage: test_windows_host.py SCRIPT FAKE_PDH PROGRAM CASES

Its class is compiled as PowerShell 5.1 does (C# 5) and run by mono over a stand-in for pdh.dll; without mono that is skipped. The rest of it,
which only Windows can run, is looked at: brackets and quotes in order, nothing beyond ASCII, short enough for a command line."""
import json, os, shutil, subprocess, sys, tempfile

from tap import check, done, environment, run, skip, wait_for
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases"))
import relink

SCRIPT, FAKE_PDH, PROGRAM, CASES = map(os.path.abspath, sys.argv[1:5])
MAIN = "\npublic static class Program { public static void Main() { GpuCounters.Run(\"10.0.26100.0\", \"FullLanguage\"); } }\n"


def is_balanced(text):
    """Brackets close in order, outside of strings and comments."""
    opened, at, pairs = [], 0, {")": "(", "]": "[", "}": "{"}
    while at < len(text):
        c = text[at]
        if c == "#": at = text.find("\n", at); continue
        if c == "'": at = text.find("'", at + 1) + 1; continue
        if c == '"':
            at += 1
            while text[at] != '"':
                if text.startswith("$(", at):  # an expression within: to its own end
                    depth, at = 1, at + 2
                    while depth: depth += {"(": 1, ")": -1}.get(text[at], 0); at += 1
                else: at += 2 if text[at] == "`" else 1
            at += 1
            continue
        if c in "([{": opened.append(c)
        if c in ")]}" and (not opened or opened.pop() != pairs[c]): return False
        at += 1
    return not opened


def lines_of(tmp, enough, **more):
    """What the class prints until its input closes, after that many lines; and whether it ended by itself then."""
    with open(f"{tmp}/lines", "wb") as out:
        process = subprocess.Popen(["mono", f"{tmp}/host.exe"], env=environment(LANG="de_DE.UTF-8", **more), stdin=subprocess.PIPE, stdout=out, stderr=subprocess.DEVNULL)
    wait_for(lambda: open(f"{tmp}/lines", "rb").read().count(b"\n") >= enough, 60)
    process.stdin.close()
    try: process.wait(timeout=20)
    except subprocess.TimeoutExpired: process.kill(); return [], False
    return open(f"{tmp}/lines", "rb").read().split(b"\n")[:-1], True


def by_mono(tmp, source):
    with open(f"{tmp}/host.cs", "w") as f: f.write(source + MAIN)
    with open(f"{tmp}/host.exe.config", "w") as f: f.write(f'<configuration><dllmap dll="pdh.dll" target="{FAKE_PDH}"/></configuration>')
    compiled = subprocess.run(["mcs", "-langversion:5", "-warnaserror", f"-out:{tmp}/host.exe", f"{tmp}/host.cs"], capture_output=True, text=True)
    if not check("its class is C# 5", compiled.returncode == 0, compiled.stdout + compiled.stderr): return
    raw, ended = lines_of(tmp, 3)
    check("it ends when its input closes", ended)
    check("what it prints is ASCII", all(max(line) < 128 for line in raw))
    lines = [json.loads(line) for line in raw]
    check("it says who it is, then samples", len(lines) >= 3 and lines[0] == {"event": "hello", "format": 1, "language_mode": "FullLanguage", "windows": "10.0.26100.0", "adapters": []}, raw[:1])
    registry(tmp)
    pdh = lines[-1]["pdh"]
    local, engines = pdh["\\GPU Process Memory(*)\\Local Usage"], pdh["\\GPU Engine(*)\\Utilization Percentage"]
    check("bytes are exact, a status that is an error is null", [v for _, v in local] == [8 << 30, (8 << 30) + 1, -5, (8 << 30) + 3, None], local)
    check("a name beyond ASCII is escaped", local[1][0].startswith("\u00e4id_"), local[1])
    check("no instances are an empty list", pdh["\\GPU Adapter Memory(*)\\Shared Usage"] == [], pdh["\\GPU Adapter Memory(*)\\Shared Usage"])
    check("loads have a point, whatever the language; what is no number is null", [v for _, v in engines[:5]] == [0, 12.5, 25, None, None], engines[:5])
    check("a list that grows is read whole", [len(l["pdh"]["\\GPU Engine(*)\\Utilization Percentage"]) for l in lines[1:3]] == [300, 600])
    missing = [json.loads(line) for line in lines_of(tmp, 3, FAKE_PDH_MISSING=")\\Local Usage")[0]]
    errors, sample = [l for l in missing if l.get("event") == "error"], next((l for l in missing if "pdh" in l), {"pdh": {}})
    check("a Windows without Local Usage is asked for Dedicated Usage, and it is said", len(errors) == 1 and errors[0]["code"] == "0xC0000BB9" and "\\GPU Process Memory(*)\\Dedicated Usage" in sample["pdh"], missing[:3])
    with_the_program(tmp)


# Values as Windows keeps them under HKLM\\SOFTWARE\\Microsoft\\DirectX, one key an adapter; mono keeps a registry of files.
KEYS = {"{aaaa}": {"AdapterLuid": 0xD1A2, "Description": "NVIDIA GeForce RTX 4070 Ti", "VendorId": 0x10DE, "DedicatedVideoMemory": 17 << 30, "DedicatedSystemMemory": 0, "SharedSystemMemory": 32 << 30, "LastSeen": 20},
        "{bbbb}": {"AdapterLuid": 0xD1A2, "Description": "of an earlier start", "VendorId": 0x8086, "LastSeen": 10},
        "{cccc}": {"AdapterLuid": (1 << 32) + 5, "Description": 'Intel(R) "UHD" ä', "VendorId": 0x8086, "DedicatedVideoMemory": 128 << 20, "SharedSystemMemory": 16 << 30, "LastSeen": 20},
        "{dddd}": {"Description": "no adapter"}}


def registry(tmp):
    top = f"{tmp}/registry/LocalMachine/software/microsoft/directx"
    for name, values in KEYS.items():
        os.makedirs(f"{top}/{name}")
        with open(f"{top}/{name}/values.xml", "w") as f:
            f.write("<values>")
            for key, value in values.items():
                kind = "string" if isinstance(value, str) else "int" if key == "VendorId" else "qword"
                text = value.replace('"', "&quot;") if isinstance(value, str) else value
                f.write(f'<value name="{key}" type="{kind}">{text}</value>')
            f.write("</values>")
    hello = json.loads(lines_of(tmp, 1, MONO_REGISTRY_PATH=f"{tmp}/registry")[0][0])
    check("adapters are described, each LUID once, as it was seen last", sorted(hello["adapters"], key=lambda a: a["vendor_id"]) == [
        {"luid": "0x00000000_0x0000D1A2", "name": "NVIDIA GeForce RTX 4070 Ti", "vendor_id": 0x10DE, "dedicated_bytes": 17 << 30, "shared_limit_bytes": 32 << 30},
        {"luid": "0x00000001_0x00000005", "name": 'Intel(R) "UHD" ä', "vendor_id": 0x8086, "dedicated_bytes": 128 << 20, "shared_limit_bytes": 16 << 30}], hello["adapters"])


def with_the_program(tmp):
    """The real class under the real program."""
    with open(f"{tmp}/powershell", "w") as f: f.write(f'#!/bin/sh\nexec mono "{tmp}/host.exe"\n')
    os.chmod(f"{tmp}/powershell", 0o755)
    shutil.copytree(f"{CASES}/wsl/exit_and_pid_reuse/root-t0", f"{tmp}/root", symlinks=True)
    relink.relink(f"{tmp}/root")
    out = f"{tmp}/r.jsonl"
    rc, _, err = run([PROGRAM, "record", "--all", "--count", "1", "-o", out], GPUTASKMAN_SYSROOT=f"{tmp}/root", GPUTASKMAN_POWERSHELL=f"{tmp}/powershell", GPUTASKMAN_SELF_PID="650")
    snapshot = json.loads(open(out).readline()) if os.path.exists(out) else {}
    source = next((s for s in snapshot.get("sources", []) if s["name"] == "windows"), {})
    check("the program understands it", source.get("state") == "ok" and any(p["label"] == "W:1" for p in snapshot["processes"]), (rc, err, source))


with tempfile.TemporaryDirectory() as tmp:
    script = open(SCRIPT, newline="").read()
    begin, end = "$source = @'\n", "\n'@\n"
    source = script[script.index(begin) + len(begin):script.index(end)]
    shell = script[:script.index(begin)] + script[script.index(end) + len(end):]
    check("the script is ASCII, with plain line ends", script.isascii() and "\r" not in script and "\t" not in script)
    check("its brackets close in order", is_balanced(shell))
    check("... and this test would see if not", not is_balanced(shell + "{") and not is_balanced(shell + ")") and not is_balanced(shell.replace("{ continue }", "{ continue")))
    check("it fits a command line (32767), encoded", len(script) * 2 * 4 / 3 + 200 < 32767, len(script))
    if shutil.which("mcs") and shutil.which("mono"): by_mono(tmp, source)
    else: skip("its class, run by mono", "mono (mono-mcs, mono-runtime) is not installed")
done()
