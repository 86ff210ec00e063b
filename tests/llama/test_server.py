#!/usr/bin/env python3
"""A real llama-server inspected on this machine: what it answers on its own socket, what it logs, what its file says.
usage: test_server.py PROGRAM LLAMA_SERVER"""
import http.client, json, os, socket, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [f"{HERE}/../e2e"]
from tap import check, done, environment, run, wait_for
from logged import compare, host, last_load

PROGRAM, SERVER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
RECIPES = f"{HERE}/../cases/models/make_gguf.py"
KEY = "a-key-of-this-test-only"
FLAGS = ("-c", "4096", "-np", "2")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Running:
    """A llama-server that holds a model, its output in a file."""
    def __init__(self, gguf, log, *more):
        self.port, self.log = free_port(), log
        with open(log, "wb") as out:
            self.process = subprocess.Popen([SERVER, "-m", gguf, *FLAGS, "--host", "127.0.0.1", "--port", str(self.port), "--api-key", KEY, "--metrics", *more],
                                            stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment())
        wait_for(lambda: self.get("/health")[0] == 200 or self.process.poll() is not None, 60, 0.2)
        check(f"llama-server serves {os.path.basename(gguf)}", self.process.poll() is None and self.get("/health")[0] == 200, self.output()[-600:])

    def get(self, path):
        """(status, JSON) of the server itself; status 0: it does not answer."""
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
            connection.request("GET", path, headers={"Authorization": f"Bearer {KEY}"})
            reply = connection.getresponse()
            return reply.status, json.loads(reply.read())
        except (OSError, ValueError, http.client.HTTPException): return 0, None

    def output(self):
        with open(self.log, encoding="utf-8", errors="replace") as f: return f.read()

    def __enter__(self): return self

    def __exit__(self, *_):
        self.process.terminate()
        try: self.process.wait(10)
        except subprocess.TimeoutExpired: self.process.kill(), self.process.wait()


def inspect(pid, *more):
    rc, out, err = run([PROGRAM, "inspect", str(pid), "--json", *more])
    check("inspect PID answers", rc == 0 and out, f"exit {rc}: {err}")
    check("the key is shown nowhere", KEY not in out + err)
    process = json.loads(out)["processes"][0]
    check("its runtime", "llama.cpp" in [r["name"] for r in process["runtimes"]], f"{process['runtimes']}")
    check("its class", process["class"] == "llm", process["class"])
    check("it has one model", len(process["models"]) == 1, f"{process['models']}")
    return process["models"][0] if process["models"] else {"evidence": [], "devices": [], "live": None}


def same_file(name, model, gguf):
    want = dict(path=gguf, kind="llm", format="gguf", architecture="qwen3", quantization="Q8_0", layers=4, slots=2)
    got = {key: model.get(key) for key in want}
    check(f"{name}: the model file", got == want, f"want {want} got {got}")


def with_its_log(gguf, folder):
    with Running(gguf, f"{folder}/server.log", "-lv", "4") as server:
        model, logged = inspect(server.process.pid), last_load(server.output())
        same_file("served", model, gguf)
        kinds = {e["kind"]: e["strength"] for e in model["evidence"]}
        check("served: it said so itself", kinds.get("api") == "proof", kinds)
        check("served: and the kernel, its log and its command line do", {"mapped", "log", "cmdline"} <= set(kinds), kinds)
        live = model["live"] or {}
        check("served: live figures", (live.get("source"), live.get("slots_busy")) == ("llama-server", 0), live)
        props, slots, models = server.get("/props")[1], server.get("/slots")[1], server.get("/v1/models")[1]
        check("/props agrees", (props["model_path"], props["total_slots"]) == (gguf, model["slots"]), props)
        check("/slots agrees", len(slots) == model["slots"], slots)
        check("/v1/models agrees", models["data"][0]["meta"]["n_ctx_train"] == model["context_trained"], models)
        check("/v1/models gives the estimated weights", models["data"][0]["meta"]["size"] == host(model)["estimated"].get("weights_bytes", host(model)["weights_bytes"]), model["devices"])
        compare("served", model, logged)
        quiet = inspect(server.process.pid, "--no-probe")
        check("--no-probe: no live figures", quiet["live"] is None and "api" not in {e["kind"] for e in quiet["evidence"]}, quiet)
        same_file("--no-probe", quiet, gguf)
    rc, out, err = run([PROGRAM, "inspect", gguf, "--json", "--", *FLAGS])
    check("inspect FILE answers", rc == 0 and out, f"exit {rc}: {err}")
    alone = json.loads(out)["models"][0]
    same_file("the file", alone, gguf)
    check("the file: the same context", alone["context"] == model["context"], (alone["context"], model["context"]))
    compare("the file", alone, logged)
    return logged


def without_its_log(gguf, logged):
    with Running(gguf, os.devnull) as server:
        model = inspect(server.process.pid)
        same_file("no log", model, gguf)
        check("no log: no log is named", "log" not in {e["kind"] for e in model["evidence"]}, model["evidence"])
        compare("no log", model, logged)


FLAG_SETS = ("-np 1", "-np 3", "-fit off", "-c 4096 -np 1", "-c 5000 -np 3", "-c 8192", "-c 8192 -np 2 -kvu -ub 256", "-c 16384 -np 1 -ctk q8_0 -ctv q8_0 -fa on",
             "-c 4096 -np 1 -fa off -b 300", "-c 2048 -np 1 -lm none", "-c 4096 -np 1 --swa-full", "-c 512 -np 2 -b 64", "-c 100 -np 1", "-np 4 --kv-unified-per-slot 1000", "-c 4096 -fa off -ctk q8_0", "-c 4096 -ctk f32", "-c 4096 -np 300", "-c 4096 -sm tensor", "-c 4096 --no-repack")
RECIPE_NAMES = ("llama-gqa-f16", "llama-q4_k_m", "qwen3moe", "gemma2", "gemma3", "gemma4-sharedkv", "cohere2", "gpt-oss-mxfp4", "llama4-chunked", "deepseek2-mla", "deepseek2-legacy",
                "mamba", "jamba", "granitehybrid", "nemotron_h", "qwen35", "lfm2", "rwkv6", "bert", "phi3-swa-ignored")


ALIGNMENT = 4096  # what a buffer of a small model loses between its tensors


def load(gguf, flags, log):
    """A server with these flags, until it listens or ends; False: it refused them."""
    with open(log, "wb") as out:
        process = subprocess.Popen([SERVER, "-m", gguf, *flags, "--host", "127.0.0.1", "--port", str(free_port()), "-lv", "4", "--no-warmup", "-t", "1"],
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment())
    read = lambda: open(log, encoding="utf-8", errors="replace").read()
    wait_for(lambda: "listening on" in read() or process.poll() is not None, 60, 0.02)
    serves = process.poll() is None
    process.kill(), process.wait()
    return serves


def estimates(folder):
    """The file with flags against what a server with them logs: refusals, context, slots, weights and cache."""
    gguf, log = f"{folder}/model.gguf", f"{folder}/flags.log"
    for recipe in RECIPE_NAMES:
        subprocess.run([sys.executable, RECIPES, "make", recipe, gguf], check=True, stdout=subprocess.DEVNULL)
        for flags in FLAG_SETS:
            serves = load(gguf, flags.split(), log)
            rc, out, err = run([PROGRAM, "inspect", gguf, "--json", "--", *flags.split()])
            if not check(f"{recipe} {flags}: accepted as by the server", serves == (rc == 0), (serves, err)) or not serves: continue
            model = json.loads(out)["models"][0]
            said = json.loads(run([PROGRAM, "inspect", "--log", log, "--json"])[1])["models"][0]
            logged = last_load(open(log, encoding="utf-8", errors="replace").read())
            check(f"{recipe} {flags}: context and slots", (model["context"], model["slots"]) == (said["context"], said["slots"]), (model, said))
            copies = host(model).get("other_bytes") or 0
            for field, more in (("weights_bytes", copies), ("kv_cache_bytes", 0)):
                value, off = logged.get(field, (0, 1))
                got = host(model)[field]
                check(f"{recipe} {flags}: {field}", got is not None and abs(got + more - value) <= off + ALIGNMENT, (got, more, value, off))


with tempfile.TemporaryDirectory() as tmp:
    tmp = os.path.realpath(tmp)
    path = f"{tmp}/qwen3-headdim.gguf"
    subprocess.run([sys.executable, RECIPES, "make", "qwen3-headdim", path], check=True, stdout=subprocess.DEVNULL)
    without_its_log(path, with_its_log(path, tmp))
    estimates(tmp)
done()
