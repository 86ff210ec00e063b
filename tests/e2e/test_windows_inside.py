#!/usr/bin/env python3
"""What is inside the processes of a Windows machine, by its rules: paths with drives and without case, DLLs, stores and logs in
their Windows places. The machine is recorded, so that the rules run everywhere; its doors are tried in tests/windows/inside.
usage: test_windows_inside.py PROGRAM CASES"""
import json, os, shutil, sys, tempfile

from tap import check, done, run, snapshots
from windows_pieces import T0, counters, gguf

PROGRAM, CASES = sys.argv[1:3]
STORE = f"{CASES}/models/ollama-store/store"
HOME = "C:\\Users\\ann"
VARIABLES = {"USERPROFILE": HOME, "LOCALAPPDATA": f"{HOME}\\AppData\\Local", "APPDATA": f"{HOME}\\AppData\\Roaming", "HF_TOKEN": "hf_secretsecretsecret"}


class Machine:
    def __init__(self, folder):
        self.folder, self.processes, self.engines = folder, [], {}

    def place(self, path):
        """Where a file of the machine lies in the recording."""
        place = f"{self.folder}/files/" + path.replace("\\", "/")
        os.makedirs(os.path.dirname(place), exist_ok=True)
        return place

    def model(self, path, name="Tiny"):
        gguf(self.place(path), name)
        return path

    def add(self, pid, program, arguments=(), parent=4, mapped=(), modules=(), engines=None, known=True, **more):
        process = {"pid": pid, "name": program.rsplit("\\", 1)[1], "create_100ns": T0 - 10**9 + pid, "parent_pid": parent, "user": "ann", "executable": program,
                   "command": [program, *arguments], "environment": VARIABLES, "cwd": HOME, "access": "full"}
        if known: process |= {"modules": [program, "C:\\Windows\\System32\\kernel32.dll", *modules], "mapped": [{"path": path, "bytes": 16 << 20} for path in mapped]}
        self.processes.append(process | more)
        self.engines[pid] = engines or {}

    def look(self):
        counters(self.folder, [process["pid"] for process in self.processes], self.engines)
        with open(f"{self.folder}/processes.json", "w") as file: json.dump({"0": self.processes, "1": self.processes}, file)
        code, out, err = run([PROGRAM, "record", "--all", "--count", "2", "-o", "-"], GPUTASKMAN_RECORDED=self.folder)
        lines = snapshots(out)
        self.text = out + err
        self.status = lines[-1]["process_status"] if lines else {}
        return {p["pid"]: p for p in lines[-1]["processes"]} if lines else {}


def servers(tmp):
    """One model under many spellings, a module, a key."""
    machine = Machine(f"{tmp}/servers")
    machine.model("D:\\Models\\Tiny-Q.gguf")
    machine.add(700, "C:\\llama\\llama-server.exe", ["-m", "d:/models/.\\x\\..\\tiny-q.GGUF", "--api-key", "geheim-4711"], mapped=["D:\\Models\\Tiny-Q.gguf"],
                modules=["C:\\llama\\llama.dll", "C:\\llama\\ggml-cuda.dll", "C:\\Windows\\System32\\nvcuda.dll"])
    machine.add(704, "C:\\llama\\llama-server.exe", ["-m", "models\\rel.gguf"], cwd="D:\\Models", mapped=[machine.model("D:\\Models\\models\\rel.gguf", "Rel")])
    machine.add(708, "C:\\llama\\llama-server.exe", ["-m", "D:\\Models\\Tiny-Q.gguf"], known=False, access="refused")
    machine.add(712, "C:\\Windows\\System32\\csrss.exe", known=False, access="protected")
    seen = machine.look()
    first = seen.get(700, {})
    check("a server: one model however its path is spelled", len(first.get("models", [])) == 1, first.get("models"))
    model = (first.get("models") or [{}])[0]
    check("a server: the file is read where the drive says", model.get("architecture") == "llama" and model.get("name") == "Tiny" and model.get("file_bytes", 0) > 16 << 20, model)
    check("a server: it is mapped and named", {e["kind"] for e in model.get("evidence", [])} >= {"mapped", "cmdline"}, model)
    check("a server: class and runtime by its modules", first.get("class") == "llm" and "llama.cpp" in [r["name"] for r in first.get("runtimes", [])], first)
    check("a server: nobody's key is told", "geheim" not in machine.text and "secretsecret" not in machine.text and "[redacted]" in machine.text, machine.text)
    second = (seen.get(704, {}).get("models") or [{}])
    check("a relative path is in the process's folder", len(second) == 1 and second[0].get("path") == "D:\\Models\\models\\rel.gguf" and second[0].get("name") == "Rel", second)
    third = seen.get(708, {})
    check("a process that may not be looked into: its command line names the model", [m.get("architecture") for m in third.get("models", [])] == ["llama"], third)
    check("who may not be looked into is counted, and whom an administrator may", machine.status.get("unreadable") == 2 and "1 process could not be looked into: run as administrator" in machine.status.get("advice", ""), machine.status)
    check("and what would show more is said in Windows' words", "as administrator" in machine.text and "with sudo" not in machine.text, machine.text)


def stores(tmp):
    machine = Machine(f"{tmp}/stores")
    digest, named = "sha256-687fc425c0ce31cee2af3c4854a4f587ac0beb9176471434e8d677f125b49cdd", "tinyllama:chat"
    store = f"{HOME}\\.ollama\\models"
    shutil.copytree(STORE, machine.place(store), dirs_exist_ok=True)
    blob = f"{store}\\blobs\\{digest}"
    machine.add(800, f"{HOME}\\AppData\\Local\\Programs\\Ollama\\ollama.exe", ["serve"])
    machine.add(804, f"{HOME}\\AppData\\Local\\Programs\\Ollama\\lib\\ollama\\llama-server.exe", ["--model", blob, "--port", "51234"], parent=800, mapped=[blob])
    lms = machine.model(f"{HOME}\\.lmstudio\\models\\some-org\\Tiny-GGUF\\Tiny-Q.gguf")
    machine.add(808, "C:\\Program Files\\LM Studio\\LM Studio.exe", ["--type=utility"], mapped=[lms], modules=[f"{HOME}\\.lmstudio\\extensions\\backends\\win-cuda\\llm_engine.node"])
    hub = f"{HOME}\\.cache\\huggingface\\hub\\models--some-org--Tiny"
    machine.model(f"{hub}\\snapshots\\0123\\tiny.gguf")
    with open(machine.place(f"{hub}\\refs\\main"), "w") as file: file.write("0123")
    machine.add(812, "C:\\Python\\python.exe", ["-m", "vllm.entrypoints.openai.api_server", "--model", "some-org/Tiny"])
    machine.add(820, "C:\\x\\app.exe", mapped=[f"{hub}\\snapshots\\0123\\tiny.gguf"])
    machine.add(816, "C:\\x\\app.exe", mapped=[machine.model(f"{HOME}\\AppData\\Local\\nomic.ai\\GPT4All\\Some-Model.gguf")])
    seen = machine.look()
    def names(pid): return [m.get("name") for m in seen.get(pid, {}).get("models", [])]
    check("Ollama: the manifest in the user's folder names the blob", names(804) == [named], [named, names(804), machine.text[-400:]])
    check("Ollama: the server above it holds no model", names(800) == [], names(800))
    check("LM Studio: publisher and model", names(808) == ["some-org/Tiny-GGUF"], names(808))
    check("LM Studio: its runtime is proven by its own folder", "LM Studio" in [r["name"] for r in seen[808]["runtimes"]], seen[808]["runtimes"])
    check("Hugging Face: the repository, of a snapshot without links", names(812) == ["some-org/Tiny"] and names(820) == ["some-org/Tiny"], [names(812), names(820)])
    check("GPT4All: the file's own name", names(816) == ["Some-Model"], names(816))


def logs(tmp):
    """A log in an application's Windows folder."""
    machine = Machine(f"{tmp}/logs")
    folder = f"{HOME}\\AppData\\Local\\nomic.ai\\GPT4All"
    model = machine.model(f"{folder}\\Tiny-Q.gguf")
    machine.add(904, f"{HOME}\\gpt4all\\bin\\chat.exe", mapped=[model], modules=["C:\\x\\ggml-cuda.dll"])
    lines = ["build: 8121 (0123abc) with MSVC 19.44 for x64", "main: loading model", f"srv    load_model: loading model '{model}'",
             "llama_model_load_from_file_impl: using device CUDA0 (Card) - 8000 MiB free",
             f"llama_model_loader: loaded meta data with 6 key-value pairs and 1 tensors from {model.lower()} (version GGUF V3 (latest))",
             "load_tensors: offloaded 3/3 layers to GPU", "load_tensors:        CUDA0 model buffer size =    40.00 MiB",
             "llama_context: constructing llama_context", "llama_context: n_ctx         = 4096", "llama_kv_cache:      CUDA0 KV buffer size =     8.00 MiB",
             "llama_context:      CUDA0 compute buffer size =     4.00 MiB", "main: model loaded", "main: server is listening on http://127.0.0.1:3928"]
    with open(machine.place(f"{folder}\\log.txt"), "w") as file: file.write("\r\n".join(lines) + "\r\n")
    seen = machine.look()
    models = seen.get(904, {}).get("models", [])
    device = (models or [{}])[0].get("devices", [{}])
    check("GPT4All: its log under %LOCALAPPDATA% says what was loaded", "41943040" in json.dumps(device) and "reported" in json.dumps(device), models)
    check("GPT4All: the log is evidence", "log" in [e["kind"] for m in models for e in m.get("evidence", [])], models)


def classes(tmp):
    machine = Machine(f"{tmp}/classes")
    machine.add(1000, "C:\\Windows\\System32\\dwm.exe", engines={"3D": 30}, known=False, executable=None, command=None, user=None)
    machine.add(1004, "D:\\Games\\Thing\\Thing.exe", engines={"3D": 80}, modules=["C:\\Windows\\System32\\nvcuda.dll"])
    machine.add(1008, "C:\\Python\\python.exe", ["x.py"], engines={"3D": 80}, modules=["C:\\Python\\Lib\\site-packages\\torch\\lib\\torch_cuda.dll"])
    machine.add(1012, "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe", ["--type=gpu-process"], engines={"3D": 50}, modules=["C:\\Windows\\System32\\vulkan-1.dll"])
    machine.add(1016, "C:\\Comfy\\python_embeded\\python.exe", ["-s", "ComfyUI\\main.py"], engines={"Cuda": 80}, modules=["C:\\Comfy\\torch_cuda.dll"])
    seen = machine.look()
    wanted = {1000: "compositor", 1004: "game", 1008: "python_ai", 1012: "browser"}
    found = {pid: seen.get(pid, {}).get("class") for pid in wanted}
    check("classes: by name, by module, by what an engine does", found == wanted, found)
    check("classes: nobody runs under Wine", "Wine" not in machine.text)
    check("classes: ComfyUI's Python is one of AI", seen[1016]["class"] in ("diffusion", "python_ai"), seen[1016]["class"])


with tempfile.TemporaryDirectory() as tmp:
    for part in (servers, stores, logs, classes):
        os.makedirs(f"{tmp}/{part.__name__}")
        part(tmp)
done()
