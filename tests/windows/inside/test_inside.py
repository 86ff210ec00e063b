#!/usr/bin/env python3
"""What the inspector finds in a real process under wine: its model by the mapping, its runtime by a module, its server by the
socket, its command line without the key. GPU counters and the owners of sockets (which wine does not tell) come from stand-ins of the
system's libraries.
usage: test_inside.py PROGRAM FAKES_FOLDER SERVER_EXE LLAMA_DLL WINE"""
import json, os, shutil, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "e2e"))
from tap import check, done, skip
from windows_pieces import MIB, counters, gguf

PROGRAM, FAKES, SERVER, LIBRARY, WINE = sys.argv[1:6]
KEY = "geheim-4711"


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
            counters(folder, [pid])
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


def program(prefix, *arguments, **more):
    p = subprocess.run([WINE, PROGRAM, *arguments], env=environment(prefix, **more), stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")


def files(prefix, folder):
    """`inspect FILE`, as Windows spells it."""
    gguf(f"{folder}/Größe.gguf", "Named")
    for path in (f"{drive(folder)}\\Größe.gguf", f"z:{folder}/.//GRößE.GGUF"):
        status, out, err = program(prefix, "inspect", path, "--json")
        check(f"inspect {path[-14:]}", status == 0 and json.loads(out)["models"][0]["name"] == "Named", out + err)
    status, out, err = program(prefix, "inspect", "C:\\no\\such.gguf")
    check("inspect of a file that is not there", status == 1 and out == "" and "C:\\no\\such.gguf" in err, out + err)


def command(prefix, folder):
    """`record -- COMMAND`."""
    counters(folder, [4])
    recording = f"{folder}/r.jsonl"
    run = ("record", "-o", drive(recording), "-i", "0.2", "--")
    status, out, err = program(prefix, *run, "cmd", "/c", "echo", "its own words", "&", "exit", "5", FAKE_PDH=drive(folder))
    check("record: the command's exit status and its output", status == 5 and "its own words" in out, [status, out, err[-300:]])
    check("record: the samples before and after it", os.path.exists(recording) and len(open(recording).read().splitlines()) >= 2)
    check("record: the summary follows", "Before the command and after it" in err, err[-300:])
    with open(f"{folder}/tool.cmd", "w", newline="\r\n") as file: file.write("@echo got [%~1] [%2]\n@exit /b 6\n")
    status, out, err = program(prefix, *run, f"{drive(folder)}\\tool.cmd", "a b", "c", FAKE_PDH=drive(folder))
    check("record: a script gets its arguments", status == 6 and 'got [a b] ["c"]' in out, [status, out, err[-300:]])
    status, out, err = program(prefix, *run, "no-such-program-4711", FAKE_PDH=drive(folder))
    check("record: what is not found is told as a shell does", status == 127 and "no-such-program-4711" in err, [status, err])


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
        try:
            look(prefix, work)
            files(prefix, work)
            command(prefix, work)
        finally:
            server = shutil.which("wineserver")
            if server: subprocess.run([server, "-k"], env=environment(prefix), capture_output=True, timeout=60)


main()
done()
