#!/usr/bin/env python3
"""A real llama.cpp, inside node as an addon, inspected on this machine: nothing is recorded here.
usage: test_llama.py PROGRAM MODULES; MODULES is where its package is installed, in the build folder"""
import json, os, re, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [f"{HERE}/../e2e"]
import tap
from tap import check, done, environment, run, wait_for
from logged import compare, host, last_load

PROGRAM, MODULES = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
RECIPES = f"{HERE}/../cases/models/make_gguf.py"


def skip_all(why):
    """Also when something was checked already: then what is left is skipped."""
    if tap.count == 0:
        print(f"1..0 # SKIP {why}")
        sys.exit(0)
    tap.skip("real llama.cpp", why)
    done()


def make(recipe, folder):
    path = f"{folder}/{recipe}.gguf"
    subprocess.run([sys.executable, RECIPES, "make", recipe, path], check=True, stdout=subprocess.DEVNULL)
    return path


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f: return f.read()


class Running:
    """A node process that holds a model, its output appended to a file (or nowhere)."""
    def __init__(self, gguf, context, log, *how):
        self.log, self.before = log, os.path.getsize(log) if os.path.exists(log) else 0
        with open(log, "ab") as out:
            self.process = subprocess.Popen(["node", f"{HERE}/load.mjs", str(context), *how], cwd=MODULES, stdin=subprocess.PIPE,
                                            stdout=out, stderr=out, env=environment(GGUF=gguf, NODE_LLAMA_CPP_SKIP_DOWNLOAD="true"))
        wait_for(lambda: self.ready() or self.process.poll() is not None, 60)
        if self.process.poll() == 77: skip_all(f"the prebuilt llama.cpp cannot be loaded: {self.output().strip().splitlines()[-1]}")
        check(f"llama.cpp holds {os.path.basename(gguf)}", self.process.poll() is None and self.ready(), self.output()[-600:])

    def output(self): return read(self.log)[self.before:]

    def ready(self): return "ready" in self.output().splitlines()

    def __enter__(self): return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try: self.process.wait(10)
        except subprocess.TimeoutExpired: self.process.kill(), self.process.wait()


def inspect_pid(pid):
    rc, out, err = run([PROGRAM, "inspect", str(pid), "--json"])
    check("inspect PID answers", rc == 0 and out, f"exit {rc}: {err}")
    process = json.loads(out)["processes"][0]
    check("it is the process asked for", (process["pid"], process["name"]) == (pid, "node"), process)
    check("its runtime", "llama.cpp" in [r["name"] for r in process["runtimes"]], f"{process['runtimes']}")
    check("its class", process["class"] == "llm", process["class"])
    check("it is on no GPU", process["gpus"] == [], process["gpus"])
    check("it has one model", len(process["models"]) == 1, process["models"])
    return process["models"][0] if process["models"] else {"evidence": [], "devices": []}


def inspect_file(gguf, *flags):
    rc, out, err = run([PROGRAM, "inspect", gguf, "--json", "--", *flags])
    check(f"inspect FILE -- {' '.join(flags)} answers", rc == 0 and out, f"exit {rc}: {err}")
    return json.loads(out)["models"][0]


def same_file(name, model, gguf, architecture, quantization, layers):
    want = dict(path=gguf, kind="llm", format="gguf", architecture=architecture, quantization=quantization, layers=layers)
    got = {key: model.get(key) for key in want}
    check(f"{name}: the model file", got == want, f"want {want} got {got}")


def mapped(folder):
    """The weights are mapped: the kernel shows the file, and the log the rest."""
    gguf, log = make("qwen3-headdim", folder), f"{folder}/mapped.log"
    with Running(gguf, 8192, log, "map") as running:
        model, logged = inspect_pid(running.process.pid), last_load(running.output())
        same_file("mapped", model, gguf, "qwen3", "Q8_0", 4)
        kinds = {e["kind"]: e for e in model["evidence"]}
        check("mapped: known by its mapping", kinds.get("mapped", {}).get("strength") == "strong", kinds)
        check("mapped: no argument named it", "cmdline" not in kinds, kinds)
        check("mapped: known by its own log", kinds.get("log", {}).get("detail") == log, kinds)
        check("mapped: its context and slot", (model["context"], model["slots"]) == (8192, 1), (model["context"], model["slots"]))
        sources = host(model)["source"]
        check("mapped: what the log says is called reported", (sources.get("weights"), sources.get("kv_cache")) == ("reported", "reported"), sources)
        compare("mapped", model, logged)
        compute, off = logged["compute_bytes"]
        check("mapped: compute as logged", abs((host(model).get("compute_bytes") or 0) - compute) <= off, (host(model), logged))
    alone = inspect_file(gguf, "-c", "8192", "-np", "1")
    same_file("the file", alone, gguf, "qwen3", "Q8_0", 4)
    compare("the file", alone, logged)


def read_in(folder):
    """The weights are read, not mapped, with a sliding window, after another run in the same log."""
    before, gguf, log = make("llama-gqa-f16", folder), make("gemma3", folder), f"{folder}/read.log"
    with Running(before, 2048, log, "map"): pass
    with Running(gguf, 4096, log, "read") as running:
        text = running.output()
        model, logged = inspect_pid(running.process.pid), last_load(text)
        same_file("read", model, gguf, "gemma3", "Q8_0", 8)
        check("read: known by its log alone", {e["kind"] for e in model["evidence"]} == {"log"}, model["evidence"])
        check("read: the context of this run, not of the one before", model["context"] == 4096, model["context"])
        compare("read", model, logged)
    batch = re.search(r"n_ubatch += (\d+)", text)[1]
    compare("the file with a window", inspect_file(gguf, "-c", "4096", "-np", "1", "-ub", batch, "-b", batch, "--no-mmap"), logged)


def silent(folder):
    """No log: the mapping alone tells the file, and nothing is said to be reported."""
    gguf = make("llama-gqa-f16", folder)
    with Running(gguf, 1024, f"{folder}/silent.log", "map", "silent") as running:
        model = inspect_pid(running.process.pid)
        same_file("silent", model, gguf, "llama", "F16", 4)
        check("silent: known by its mapping alone", [e["kind"] for e in model["evidence"]] == ["mapped"], model["evidence"])
        check("silent: nothing is reported", "reported" not in host(model)["source"].values(), model["devices"])
        check("silent: no context and no cache is invented", (model["context"], host(model)["kv_cache_bytes"]) == (None, None), model)
        check("silent: its weights are those of the file", host(model)["weights_bytes"] == host(inspect_file(gguf, "-c", "1024"))["weights_bytes"], model["devices"])


if not os.path.isdir("/proc/self"): skip_all("it needs Linux")
installed = subprocess.run([f"{HERE}/install.sh", MODULES], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
if installed.returncode == 77: skip_all((installed.stderr.strip().splitlines() or ["no llama.cpp"])[-1].replace("skipped: ", ""))
if check("the prebuilt llama.cpp is installed", installed.returncode == 0, installed.stderr):
    with tempfile.TemporaryDirectory() as tmp:
        for part in (mapped, read_in, silent): part(os.path.realpath(tmp))
done()
