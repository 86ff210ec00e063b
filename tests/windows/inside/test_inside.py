#!/usr/bin/env python3
"""What the inspector finds in a real process under wine: its model by the mapping, its runtime by a module, its server by the
socket, its command line without the key. GPU counters and the owners of sockets (which wine does not tell) come from stand-ins of the
system's libraries.
usage: test_inside.py PROGRAM FAKES_FOLDER SERVER_EXE LLAMA_DLL WINE"""
import json, os, shutil, struct, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "e2e"))
from tap import check, done, skip

PROGRAM, FAKES, SERVER, LIBRARY, WINE = sys.argv[1:6]
MIB = 1 << 20
LUID = "0x00000000_0x0000D1B4"
KEY = "geheim-4711"


def gguf(path):
    """A GGUF file of a little more than 16 MiB with one tensor."""
    def string(text): return struct.pack("<Q", len(text)) + text.encode()
    def number(key, value): return string(key) + struct.pack("<II", 4, value)
    pairs = [string("general.architecture") + struct.pack("<I", 8) + string("llama"),
             string("general.name") + struct.pack("<I", 8) + string("Tiny"),
             number("llama.block_count", 2), number("llama.context_length", 4096), number("llama.embedding_length", 1024),
             number("llama.attention.head_count", 8)]
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, len(pairs)) + b"".join(pairs)
    head += string("token_embd.weight") + struct.pack("<IQQIQ", 2, 1024, 8192, 1, 0)
    with open(path, "wb") as file: file.write(head + bytes(-len(head) % 32)), file.truncate(len(head) + -len(head) % 32 + 16 * MIB)


def counters(folder, pid):
    def line(counter, instance, first, sample): return json.dumps({"s": sample, "counter": f"\\{counter}", "instance": instance, "cstatus": "0x00000000", "kind": "raw", "first": first, "second": 0})
    lines = []
    for sample in range(2):
        lines.append(json.dumps({"collect": sample, "t100ns": 134140000000000000 + sample * 10000000, "status": "0x00000000"}))
        of_process, of_adapter = f"pid_{pid}_luid_{LUID}_phys_0", f"luid_{LUID}_phys_0"
        lines += [line("GPU Process Memory(*)\\Local Usage", of_process, 64 * MIB, sample), line("GPU Process Memory(*)\\Non Local Usage", of_process, 0, sample),
                  line("GPU Process Memory(*)\\Total Committed", of_process, 64 * MIB, sample), line("GPU Adapter Memory(*)\\Dedicated Usage", of_adapter, 80 * MIB, sample),
                  line("GPU Adapter Memory(*)\\Shared Usage", of_adapter, 0, sample), line("GPU Adapter Memory(*)\\Total Committed", of_adapter, 80 * MIB, sample)]
    open(f"{folder}/counters.jsonl", "w").write("\n".join(lines) + "\n")
    kinds = {"RenderSupported": 1, "DisplaySupported": 1, "SoftwareDevice": 0, "IndirectDisplayDevice": 0, "ComputeOnly": 0}
    json.dump([{"luid": LUID, "name": "Card", "kind": "discrete", "dedicated_bytes": 8 << 30, "shared_limit_bytes": 16 << 30, "adapter_type": kinds}], open(f"{folder}/adapters.json", "w"))


def drive(path): return "Z:" + path.replace("/", "\\")


def environment(prefix, **more): return {k: v for k, v in os.environ.items() if not k.startswith("GPUTASKMAN_")} | {"WINEPREFIX": prefix} | more


def inspect(prefix, counters_folder, pid, *flags):
    p = subprocess.run([WINE, PROGRAM, "inspect", str(pid), "--json", *flags], env=environment(prefix, FAKE_PDH=drive(counters_folder), FAKE_TCP=drive(f"{counters_folder}/sockets")), stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    if p.returncode != 0: return None, f"exit {p.returncode}: {p.stdout[-300:]} {p.stderr[-300:]}"
    answer = json.loads(p.stdout)
    return answer["processes"][0] if "processes" in answer else answer, p.stdout.decode()


def look(prefix, folder):
    model = f"{folder}/models/Tiny-Q.gguf"
    os.makedirs(os.path.dirname(model))
    gguf(model)
    server = shutil.copy(SERVER, f"{folder}/llama-server.exe")
    library = shutil.copy(LIBRARY, f"{folder}/llama.dll")
    # Another spelling of the same file than the kernel's.
    named = drive(model).replace("\\models\\", "\\MODELS/.\\")
    os.symlink("models", f"{folder}/MODELS")
    command = [WINE, server, "-m", named, "--api-key", KEY, "--load", drive(library)]
    with subprocess.Popen(command, env=environment(prefix), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            pid, port = map(int, process.stdout.readline().split())
            counters(folder, pid)
            open(f"{folder}/sockets", "w").write(f"{pid} {port}\n")
            seen, text = inspect(prefix, folder, pid)
            if not check("the process is found by its pid", seen is not None, text): return
            check("its name and memory are those of the counters", seen["name"] == "llama-server.exe" and seen["gpus"][0]["vram_bytes"] == 64 * MIB, text)
            check("its program and its user are told", "llama-server.exe" in json.dumps(seen["command"]) and seen["user"], text)
            check("its key is nowhere", KEY not in text and "[redacted]" in text, text)
            check("it is an LLM by a module of llama.cpp", seen["class"] == "llm" and "llama.cpp" in json.dumps(seen["runtimes"]), text)
            models = seen["models"]
            check("one model, however its path is spelled", len(models) == 1, models)
            found = models[0] if models else {}
            check("the model is the mapped file, told as Windows tells it", found.get("path", "").lower() == drive(model).lower() and found.get("architecture") == "llama", models)
            check("its evidence has the mapping", "mapped" in json.dumps(found.get("evidence")), models)
            check("its size is the file's", found.get("file_bytes") == os.path.getsize(model), models)
            check("its server is asked, with its own key", (found.get("live") or {}).get("slots_busy") == 1, [models, port])
            open(f"{folder}/sockets", "w").write(f"{pid + 4} {port}\n")
            other, text = inspect(prefix, folder, pid)
            check("a socket that is another process's is not asked", other is not None and other["models"][0]["live"] is None, text)
            open(f"{folder}/sockets", "w").write(f"{pid} {port}\n{pid + 4} {port}\n")
            shared, text = inspect(prefix, folder, pid)
            check("nor one whose port another process listens on too", shared is not None and shared["models"][0]["live"] is None, text)
            open(f"{folder}/sockets", "w").write(f"{pid} {port}\n")
            quiet, text = inspect(prefix, folder, pid, "--no-probe")
            check("--no-probe asks nobody", quiet is not None and quiet["models"][0]["live"] is None, text)
        finally:
            process.stdin.close()


def main():
    if not (shutil.which("wine") or shutil.which("wine64") or os.path.exists("/usr/lib/wine/wine64")):
        skip("the inside of a Windows process", "there is no wine")
        return
    with tempfile.TemporaryDirectory() as folder:
        prefix = (os.environ.get("WINEPREFIX") or os.path.abspath(f"{FAKES}/../../../wine")) + "-inside"
        subprocess.run([WINE, "cmd", "/c", "exit"], env=environment(prefix), stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
        system = f"{prefix}/drive_c/windows/system32"
        if not os.path.isdir(system):
            skip("the inside of a Windows process", "wine cannot make a prefix here")
            return
        for library in ("pdh.dll", "gtm_fake_d3dkmt.dll", "gtm_fake_tcp.dll"):
            target = f"{system}/{library}"
            if os.path.lexists(target): os.remove(target)
            shutil.copy(f"{FAKES}/{library}", target)
        work = f"{folder}/work"
        os.makedirs(work)
        try: look(prefix, work)
        finally: subprocess.run(["wineserver", "-k"], env=environment(prefix), capture_output=True, timeout=60)


main()
done()
