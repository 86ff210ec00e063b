#!/usr/bin/env python3
"""Inspecting processes: recorded ones as machines of their own, and live ones with servers of their own.
usage: test_inspect.py PROGRAM CASES"""
import array, fcntl, glob, http.server, json, os, re, shutil, signal, socket, subprocess, sys, tempfile, termios, threading, time

from tap import check, done, environment, run, skip, wait_for

PROGRAM, CASES = sys.argv[1:3]
MODELS = f"{CASES}/models"
MIB = 1 << 20


# ---------------------------------------------------------------- recorded processes

def add_process(root, capture):
    """One capture as /proc/PID of a recorded machine; returns its pid."""
    pid = int(open(f"{capture}/stat").read().split()[0])
    place = f"{root}/proc/{pid}"
    os.makedirs(f"{place}/fd"), os.makedirs(f"{place}/net")
    for name in ("cmdline", "comm", "maps", "status", "stat", "environ"): shutil.copy(f"{capture}/{name}", f"{place}/{name}")
    shutil.copy(f"{capture}/net_tcp", f"{place}/net/tcp")
    os.symlink(open(f"{capture}/exe.txt").read().strip(), f"{place}/exe")
    os.symlink(open(f"{capture}/cwd.txt").read().strip(), f"{place}/cwd")
    for line in open(f"{capture}/fds.txt"):
        fd, target = line.rstrip("\n").split(" -> ", 1)
        os.symlink(target, f"{place}/fd/{fd}")
    return pid


def machine(case, root):
    os.makedirs(f"{root}/proc")
    with open(f"{root}/proc/stat", "w") as f: f.write("cpu 1 0 1 9\nbtime 1795000000\n")
    captures = [case] if os.path.exists(f"{case}/maps") else sorted(os.path.dirname(p) for p in glob.glob(f"{case}/*/maps"))
    pids = [add_process(root, capture) for capture in captures]
    for capture in captures:
        for line in open(f"{capture}/fds.txt"):
            m = re.match(r"[12] -> (/home/\S+)$", line)
            if m and os.path.exists(f"{case}/server.log"):
                os.makedirs(os.path.dirname(root + m[1]), exist_ok=True)
                shutil.copy(f"{case}/server.log", root + m[1])
    return dict(zip((os.path.basename(c) for c in captures), pids))


def inspect(pid, *more, **env):
    rc, out, err = run([PROGRAM, "inspect", str(pid), "--json", *more], **env)
    try: return json.loads(out)["processes"][0]
    except (ValueError, LookupError): return {"failed": f"exit {rc} {out[-200:]} {err[-200:]}", "models": []}


def is_host(buffer): return buffer.startswith("CPU") or buffer.endswith("_Host")


def compare_sizes(name, models, log):
    """What the run's log said, per place, against what the process's models hold there."""
    got, want, lines = {}, {}, {}
    for model in models:
        for device in model["devices"]:
            place = got.setdefault(device["device"], {})
            for field in ("weights_bytes", "kv_cache_bytes", "compute_bytes"): place[field] = place.get(field, 0) + (device[field] or 0)
    for buffer, kinds in log["totals_mib"].items():
        place = want.setdefault("host" if is_host(buffer) else buffer, {})
        for kind, mib in kinds.items():
            field = {"model": "weights_bytes", "LoRA": "weights_bytes", "KV": "kv_cache_bytes", "RS": "kv_cache_bytes", "compute": "compute_bytes"}.get(kind)
            if field: place[field] = place.get(field, 0) + mib * MIB
    for _, buffer, _, _ in log["lines"]: lines["host" if is_host(buffer) else buffer] = lines.get("host" if is_host(buffer) else buffer, 0) + 1
    for place, fields in want.items():
        for field, value in fields.items():
            check(f"{name}: {place} {field}", abs(got.get(place, {}).get(field, 0) - value) <= 0.0051 * MIB * lines[place] + 1, f"want {value} got {got.get(place)}")


def compare_models(name, process, expected):
    models = process["models"]
    main = [m for m in models if m["kind"] not in ("adapter", "projector", "draft")]
    if expected.get("model_path") is None:
        check(f"{name}: no model is invented", models == [], models)
        return
    check(f"{name}: one main model", len(main) == 1, [m["path"] for m in main] or process.get("failed"))
    if len(main) != 1: return
    check(f"{name}: its file", main[0]["path"] == expected["model_path"], main[0]["path"])
    check(f"{name}: its kind", main[0]["kind"] == ("embedding" if expected.get("task") == "embedding" else "llm"), main[0]["kind"])
    kinds = {e["kind"] for e in main[0]["evidence"]}
    by = expected.get("identified_by", [])
    if "maps" in by or expected.get("deleted"): check(f"{name}: by its mapping", "mapped" in kinds, kinds)
    if "cmdline" in by: check(f"{name}: by its command line", "cmdline" in kinds, kinds)
    if expected.get("not_in_maps"): check(f"{name}: not by a mapping", "mapped" not in kinds, kinds)
    if expected.get("alias"): check(f"{name}: its alias", main[0]["name"] == expected["alias"], main[0]["name"])
    if "n_slots" in expected and main[0]["slots"] is not None: check(f"{name}: slots", main[0]["slots"] == expected["n_slots"], main[0]["slots"])
    if expected.get("deleted"): check(f"{name}: said to be deleted", any("(deleted)" in e["detail"] for e in main[0]["evidence"]))
    for field, kind in (("mmproj_path", "projector"), ("draft_model_path", "draft")):
        if field in expected: check(f"{name}: {kind}", [m["path"] for m in models if m["kind"] == kind] == [expected[field]], [(m["kind"], m["path"]) for m in models])
    if any("RPC" in d["device"] for d in main[0]["devices"]): check(f"{name}: a remote device is no adapter", all(d["adapter_id"] is None for d in main[0]["devices"]))
    check(f"{name}: no server is asked on a recorded machine", main[0]["live"] is None and "api" not in kinds)


def recorded(case):
    name, expected = os.path.basename(case), json.load(open(f"{case}/expected.json"))
    with tempfile.TemporaryDirectory() as tmp:
        pids = machine(case, f"{tmp}/m")
        env = {"GPUTASKMAN_SYSROOT": f"{tmp}/m", "GPUTASKMAN_NVML": "/nonexistent"}
        if expected["kind"] == "proc-tree":
            compare_models(f"{name} router", inspect(expected["parent_pid"], **env), {"model_path": None})
            child = inspect(expected["child_pids"][0], **env)
            check(f"{name} child: one model", len(child["models"]) == 1, child)
            compare_sizes(f"{name} child", child["models"], expected["log"])
            return
        process = inspect(next(iter(pids.values())), **env)
        check(f"{name}: the runtime", "llama.cpp" in [r["name"] for r in process.get("runtimes", [])], process.get("runtimes", process.get("failed")))
        check(f"{name}: on no GPU", process.get("gpus") == [])
        compare_models(name, process, expected)
        if "log" in expected: compare_sizes(name, process["models"], expected["log"])


def ollama_runner():
    """A runner of Ollama: the blob's names, shortest first, and the model counted once."""
    digest = "687fc425c0ce31cee2af3c4854a4f587ac0beb9176471434e8d677f125b49cdd"
    expected = json.load(open(f"{MODELS}/ollama-store/expected.json"))["blob_names"][f"sha256-{digest}"]
    with tempfile.TemporaryDirectory() as tmp:
        root, blob = f"{tmp}/m", f"/home/user/.ollama/models/blobs/sha256-{digest}"
        os.makedirs(f"{root}/proc/700/fd"), os.makedirs(f"{root}/home/user/.ollama")
        shutil.copytree(f"{MODELS}/ollama-store/store", f"{root}/home/user/.ollama/models")
        with open(f"{root}/proc/stat", "w") as f: f.write("cpu 1 0 1 9\nbtime 1795000000\n")
        argv = ["/usr/bin/ollama", "runner", "--model", blob, "--mmproj", blob, "--ctx-size", "8192", "--parallel", "4", "--port", "36743"]
        files = {"cmdline": "\0".join(argv) + "\0", "comm": "ollama\n", "stat": "700 (ollama) S 1 700 700 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 5000 1 1 0\n",
                 "maps": f"7f00-7f01 r--s 00002000 fe:00 77 {blob}\n7f01-7f02 r--s 00003000 fe:00 77 /home/user//.ollama/models/blobs/sha256-{digest}\n", "environ": "HOME=/home/user\0HF_TOKEN=hf_secretsecretsecret\0", "status": "Name:\tollama\n"}
        for name, text in files.items():
            with open(f"{root}/proc/700/{name}", "w") as f: f.write(text)
        process = inspect(700, GPUTASKMAN_SYSROOT=root, GPUTASKMAN_NVML="/nonexistent")
        check("Ollama: model and projector in one blob are one model", len(process["models"]) == 1, process)
        model = process["models"][0] if process["models"] else {"evidence": []}
        names = [e["detail"].removeprefix("Ollama: ") for e in model["evidence"] if e["kind"] == "store"]
        want = sorted((n["name"] for n in expected), key=lambda n: (len(n), n))
        check("Ollama: every name of the blob, shortest first", names == want, f"want {want} got {names}")
        check("Ollama: the shortest is shown", model.get("name") == want[0], model.get("name"))
        check("Ollama: read from the blob", model.get("format") == "gguf" and model.get("architecture") == "llama", model)
        check("Ollama: no secret of the environment", "secretsecret" not in json.dumps(process))


def hugging_face():
    """A mapped blob of the hub's cache has the name of its repository."""
    case = f"{MODELS}/hf-cache"
    expected = json.load(open(f"{case}/expected.json"))
    with tempfile.TemporaryDirectory() as tmp:
        root, hub = f"{tmp}/m", "/home/user/.cache/huggingface/hub"
        os.makedirs(f"{root}/proc/700/fd"), os.makedirs(f"{root}/home/user/.cache/huggingface")
        shutil.copytree(f"{case}/hub", f"{root}{hub}", symlinks=True)
        for line in open(f"{case}/links.txt"):
            path, target = line.rstrip("\n").split("\t")
            place = f"{root}/home/user/.cache/huggingface/{path}"
            os.makedirs(os.path.dirname(place), exist_ok=True)
            if os.path.lexists(place): os.unlink(place)
            os.symlink(target, place)
        blob = next(p for p in glob.glob(f"{root}{hub}/models--*/blobs/*") if os.path.basename(p) in expected["maps_show"])
        with open(f"{root}/proc/stat", "w") as f: f.write("cpu 1 0 1 9\nbtime 1795000000\n")
        files = {"cmdline": "python3\0chat.py\0", "comm": "python3\n", "stat": "700 (python3) S 1 700 700 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 5000 1 1 0\n", "maps": f"7f00-7f01 r--s 0 fe:00 77 {blob[len(root):]}\n", "environ": "HOME=/home/user\0", "status": "Name:\tpython3\n"}
        for name, text in files.items():
            with open(f"{root}/proc/700/{name}", "w") as f: f.write(text)
        # Found by its mapping alone, and named on the command line besides.
        with open(f"{root}/proc/700/cmdline", "w") as f: f.write("\0".join(["python3", "-m", "sglang.launch_server", "--model-path", expected["resolved"]["repo"], ""]))
        named = inspect(700, GPUTASKMAN_SYSROOT=root, GPUTASKMAN_NVML="/nonexistent")["models"]
        check("Hugging Face: named and mapped, it is one model", len(named) == 1 and {"cmdline", "mapped"} <= {e["kind"] for e in named[0]["evidence"]}, named)
        with open(f"{root}/proc/700/cmdline", "w") as f: f.write(files["cmdline"])
        process = inspect(700, GPUTASKMAN_SYSROOT=root, GPUTASKMAN_NVML="/nonexistent")
        model = process["models"][0] if process["models"] else {}
        check("Hugging Face: the repository's name", model.get("name") == expected["resolved"]["repo"], process)
        check("Hugging Face: the file that the kernel shows", (model.get("path") or "").endswith(os.path.basename(blob)), model.get("path"))
        check("Hugging Face: read as safetensors", model.get("format") == "safetensors", model.get("format"))


# ---------------------------------------------------------------- live servers

SERVER = r'''
import http.server, json, os, socket, sys, time
mode, folder, log = sys.argv[1:4]
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"
    def log_message(self, *_): pass
    def do_GET(self):
        with open(log, "a") as f: f.write(json.dumps([self.path, self.headers.get("Authorization"), self.headers.get("Host")]) + "\n")
        if mode == "stall": time.sleep(60)
        if mode == "redirect":
            self.send_response(302); self.send_header("Location", "http://127.0.0.1:1/elsewhere"); self.end_headers(); return
        name = {"/props": "props.json", "/slots": "slots_busy.json", "/v1/models": "v1_models.json", "/metrics": "metrics_busy.txt"}.get(self.path)
        body = open(f"{folder}/{name}", "rb").read() if name else b"{}"
        if mode == "garbage": body = b"\x00\xff{[[["
        self.send_response(200); self.end_headers()
        if mode == "flood":
            try:
                for _ in range(1024): self.wfile.write(b" " * 1048576)
            except OSError: pass
            return
        self.wfile.write(body)
class Server(http.server.ThreadingHTTPServer):
    allow_reuse_port = mode == "shared"
    def server_bind(self):
        if mode == "shared": self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        super().server_bind()
server = Server(("127.0.0.1", int(os.environ.get("PORT", "0"))), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
'''


class Running:
    """A Python program that calls itself `title`, with further arguments."""
    def __init__(self, tmp, title, mode, *more, port="0", code=SERVER):
        self.log = f"{tmp}/{title}-{mode}-{time.monotonic_ns()}.log"
        open(self.log, "w").close()
        script = f"{tmp}/server.py"
        with open(script, "w") as f: f.write(code)
        self.process = subprocess.Popen([title, script, mode, f"{MODELS}/proc-server-default-verbosity", self.log, *more], executable=sys.executable,
                                        env=environment(PORT=port), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.process.stdout.readline())
        self.pid = self.process.pid

    def requests(self): return [json.loads(line) for line in open(self.log)]

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def live_of(process): return next((m["live"] for m in process["models"] if m["live"]), None)


def own_server(tmp):
    server = Running(tmp, "llama-server", "good", "--api-key", "sesame-street", "-m", "/nonexistent/llama-gqa-f16.gguf")
    process = inspect(server.pid)
    requests = server.requests()
    live = live_of(process)
    check("own server: it is asked, with its own key", {r[0] for r in requests} >= {"/props", "/slots", "/metrics", "/v1/models"} and {r[1] for r in requests} == {"Bearer sesame-street"}, requests)
    check("own server: only at its own port", {r[2] for r in requests} == {f"127.0.0.1:{server.port}"}, requests)
    check("own server: live figures", live and live["source"] == "llama-server" and live["slots_busy"] == 1 and live["context_used"] == 13, live)
    check("own server: proof by its answer", any(e["kind"] == "api" and e["strength"] == "proof" for m in process["models"] for e in m["evidence"]), process["models"])
    check("own server: one model", len(process["models"]) == 1 and process["models"][0]["slots"] == 4, process["models"])
    check("own server: the key is shown nowhere", "sesame" not in json.dumps(process))
    open(server.log, "w").close()
    quiet = inspect(server.pid, "--no-probe")
    check("--no-probe: no request", server.requests() == [] and live_of(quiet) is None, server.requests())
    check("--no-probe: still identified", len(quiet["models"]) == 1, quiet)
    server.end()


def strangers(tmp):
    stranger = Running(tmp, "something-else", "good")
    claimer = Running(tmp, "llama-server", "good", "--port", str(stranger.port), "--api-key", "sesame", "-m", "/nonexistent/x.gguf")
    claimer_log = claimer.log
    inspect(claimer.pid)
    check("a port that another process owns gets no request, whatever the flags say", stranger.requests() == [], stranger.requests())
    check("its own socket is asked instead", len(Running.requests(claimer)) > 0, claimer_log)
    inspect(stranger.pid)
    check("a program that is no known server gets no request", stranger.requests() == [], stranger.requests())
    claimer.end(), stranger.end()

    first = Running(tmp, "llama-server", "shared", "--api-key", "sesame", "-m", "/nonexistent/x.gguf")
    second = Running(tmp, "something-else", "shared", port=str(first.port))
    inspect(first.pid)
    check("a port that two processes share gets no request", first.requests() == [] and second.requests() == [], (first.requests(), second.requests()))
    first.end(), second.end()


def bad_servers(tmp):
    for mode in ("stall", "redirect", "garbage", "flood"):
        server = Running(tmp, "llama-server", mode, "-m", "/nonexistent/x.gguf")
        began = time.monotonic()
        rc, out, err = run([PROGRAM, "inspect", str(server.pid), "--json"])
        seconds = time.monotonic() - began
        shown = json.loads(out) if rc == 0 else {"processes": [{"models": []}], "notes": []}
        check(f"{mode}: bounded in time", rc == 0 and seconds < 10, f"{seconds:.1f} s {err}")
        check(f"{mode}: ignored with a note", live_of(shown["processes"][0]) is None and any("llama-server: /" in n["text"] for n in shown["notes"]), shown["notes"])
        check(f"{mode}: the model is still known by the command line", len(shown["processes"][0]["models"]) == 1, shown["processes"])
        server.end()


PARENT = r'''
import http.server, json, os, subprocess, sys
log, blob = sys.argv[3], sys.argv[4]
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def do_GET(self):
        with open(log, "a") as f: f.write(json.dumps([self.path, self.headers.get("Authorization"), None]) + "\n")
        self.send_response(200); self.end_headers()
        self.wfile.write(json.dumps({"models": [{"name": "tinyllama:chat", "size": 100, "size_vram": 50, "context_length": 8192, "expires_at": "2031-02-03T04:05:06Z", "details": None}]}).encode())
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(log + ".py", "w") as f: f.write("import time; time.sleep(600)")
child = subprocess.Popen(["ollama_llama_server", log + ".py", "--model", blob], executable=os.readlink("/proc/self/exe"))
with open(log + ".child", "w") as f: f.write(str(child.pid))
print(server.server_address[1], flush=True)
try: server.serve_forever()
finally: child.kill()
'''


def parent_server(tmp):
    """A runner of Ollama does not listen itself: its proven parent is asked."""
    blob = os.path.abspath(glob.glob(f"{MODELS}/ollama-store/store/blobs/sha256-687fc*")[0])
    server = Running(tmp, "ollama", "parent", blob, code=PARENT)
    child = int(open(server.log + ".child").read())
    process = inspect(child)
    live = live_of(process)
    check("parent: asked for what runs, and nothing that changes it", {r[0] for r in server.requests()} == {"/api/ps"}, server.requests())
    check("parent: its name, context and expiry", len(process["models"]) == 1 and process["models"][0]["name"] == "tinyllama:chat" and live and live["expires_at"].startswith("2031-02-03T04:05:06"), process)
    own = inspect(server.pid)
    check("parent: the Ollama server holds no model itself", own["models"] == [], own)
    os.kill(child, signal.SIGKILL)
    server.end()


# ---------------------------------------------------------------- the journal

JOURNALCTL = r'''#!/bin/sh
printf '%s\n' "$*" >>"$JOURNAL_ASKED"
[ "$JOURNAL_MODE" = silent ] && exit 0
[ "$JOURNAL_MODE" = hang ] && exec sleep 600
[ "$JOURNAL_MODE" = flood ] && exec yes "journal flood"
for word; do [ "$word" = "_PID=$JOURNAL_PID" ] && exec cat "$JOURNAL_LOG"; done
exit 0
'''


def journal(tmp):
    """A service's output goes to a socket that systemd names; what journalctl says of that very process is its load log."""
    tools, asked = f"{tmp}/tools", f"{tmp}/asked"
    os.makedirs(tools)
    with open(f"{tools}/journalctl", "w") as f: f.write(JOURNALCTL)
    os.chmod(f"{tools}/journalctl", 0o755)
    log = f"{MODELS}/log-b8121-llama-gqa-f16/load.log"
    ours, theirs = socket.socketpair()
    stream = os.fstat(theirs.fileno())
    model = next(m[1] for m in [re.search(r"loaded meta data with .* from (\S+)", line) for line in open(log)] if m)

    def service(**env):
        return subprocess.Popen(["llama-server", "-c", "import time; time.sleep(600)", "-m", model], executable=sys.executable, env=environment(**env),
                                stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)

    def look(process, mode, pid=None):
        open(asked, "w").close()
        env = dict(PATH=f"{tools}:{os.environ['PATH']}", JOURNAL_ASKED=asked, JOURNAL_MODE=mode, JOURNAL_PID=str(pid or process.pid), JOURNAL_LOG=log)
        # A worker that hangs is left behind at exit, with what it owns: no leak.
        if mode == "hang": env["ASAN_OPTIONS"] = "detect_leaks=0"
        began = time.monotonic()
        rc, out, err = run([PROGRAM, "inspect", str(process.pid), "--json"], **env)
        check(f"journal, {mode}: inspect answers", rc == 0, err)
        shown = json.loads(out)
        kinds = {e["kind"]: e for m in shown["processes"][0]["models"] for e in m["evidence"]}
        return shown, kinds, open(asked).read().splitlines(), time.monotonic() - began

    running = service(JOURNAL_STREAM=f"{stream.st_dev}:{stream.st_ino}")
    shown, kinds, calls, _ = look(running, "good")
    check("journal: asked once, for this process since its start", len(calls) == 1 and f"_PID={running.pid}" in calls[0].split() and "--since=@" in calls[0], calls)
    check("journal: its log is evidence", kinds.get("log", {}).get("strength") == "strong" and "journalctl" in kinds["log"]["detail"], kinds)
    devices = [d for m in shown["processes"][0]["models"] for d in m["devices"]]
    check("journal: its sizes are reported", any(d["source"].get("kv_cache") == "reported" for d in devices), devices)
    shown, kinds, calls, _ = look(running, "good", pid=1)
    check("journal: nothing of another process is taken", "log" not in kinds, kinds)
    check("journal: it says how more can be seen", any("systemd-journal" in n["text"] for n in shown["notes"]), shown["notes"])
    for mode in ("silent", "hang", "flood"):
        shown, kinds, calls, seconds = look(running, mode)
        check(f"journal, {mode}: bounded, and no log is invented", seconds < 20 and "log" not in kinds, (seconds, kinds))
    running.kill(), running.wait()
    for name, env in {"no variable": {}, "another socket": {"JOURNAL_STREAM": f"{stream.st_dev}:1"}, "nonsense": {"JOURNAL_STREAM": "x:y:z"}}.items():
        running = service(**env)
        _, kinds, calls, _ = look(running, "good")
        check(f"journal: not asked with {name}", calls == [] and "log" not in kinds, calls)
        running.kill(), running.wait()
    ours.close(), theirs.close()


# ---------------------------------------------------------------- what may be given as a log

def log_files(tmp):
    log = f"{MODELS}/log-b8121-llama-gqa-f16/load.log"

    def look(path, **more):
        p = subprocess.run([PROGRAM, "inspect", "--log", path, "--json"], env=environment(), capture_output=True, timeout=120, **more)
        return p.returncode, p.stdout.decode(), p.stderr.decode()

    want = look(log, stdin=subprocess.DEVNULL)
    check("log: a file", want[0] == 0 and json.loads(want[1])["models"], want)
    with open(log, "rb") as f: content = f.read()
    got = look("-", input=content)
    check("log: a pipe on standard input", got[0] == 0 and json.loads(got[1])["models"][0]["devices"] == json.loads(want[1])["models"][0]["devices"], got)
    fifo = f"{tmp}/fifo"
    os.mkfifo(fifo)
    rc, out, err = look(fifo, stdin=subprocess.DEVNULL)
    check("log: a named pipe that nobody writes to ends at once", rc == 0 and json.loads(out)["models"] == [], (out, err))
    holder = os.open(fifo, os.O_RDWR)

    def write():
        os.write(holder, content)
        wait_for(lambda: array.array("i", fcntl.ioctl(holder, termios.FIONREAD, b"\0" * 4))[0] == 0, 60)
        os.close(holder)

    writer = threading.Thread(target=write)
    writer.start()
    rc, out, err = look(fifo, stdin=subprocess.DEVNULL)
    writer.join()
    check("log: a named pipe with a writer", rc == 0 and json.loads(out)["models"], (out, err))
    rc, out, err = look("/dev/zero", stdin=subprocess.DEVNULL)
    check("log: a device has no end and is refused", rc == 1 and out == "" and "/dev/zero is a device" in err and err.count("\n") == 1, err)
    with open("/dev/zero", "rb") as zero: rc, out, err = look("-", stdin=zero)
    check("log: also as standard input", rc == 1 and "is a device" in err, err)
    rc, out, err = look(tmp, stdin=subprocess.DEVNULL)
    check("log: a folder is no log", rc == 1 and "is a folder" in err, err)
    big = f"{tmp}/big.log"
    with open(big, "wb") as f: f.truncate(4 << 30)
    rc, out, err = look(big, stdin=subprocess.DEVNULL)
    check("log: nothing in a huge file", rc == 1 and "larger than 256 MiB" in err and err.count("\n") == 1, err)
    with open(big, "r+b") as f:
        f.seek(0), f.write(content)
    rc, out, err = look(big, stdin=subprocess.DEVNULL)
    check("log: a load at the start of a huge file is found, and it is said what was read", rc == 0 and json.loads(out)["models"] and any("256 MiB" in n["text"] for n in json.loads(out)["notes"]), (out[-300:], err))
    os.unlink(big)


# ---------------------------------------------------------------- removed files, and words

def removed_model(tmp):
    """A mapped model whose file was removed: its header is read through the mapping by those who may."""
    path = f"{tmp}/removed.gguf"
    subprocess.run([sys.executable, f"{MODELS}/make_gguf.py", "make", "llama-gqa-f16", path], check=True, stdout=subprocess.DEVNULL)
    holder = "import mmap, sys, time; f = open(sys.argv[1], 'rb'); m = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ); f.close(); print('ok', flush=True); time.sleep(600)"
    p = subprocess.Popen([sys.executable, "-c", holder, path], stdout=subprocess.PIPE, text=True)
    p.stdout.readline()
    os.unlink(path)
    models = inspect(p.pid)["models"]
    check("removed: the model is known by its mapping", len(models) == 1 and any(e["kind"] == "mapped" and e["detail"].endswith("(deleted)") for e in models[0]["evidence"]), models)
    try:
        span = next(name for name in os.listdir(f"/proc/{p.pid}/map_files") if os.readlink(f"/proc/{p.pid}/map_files/{name}") == f"{path} (deleted)")
        open(f"/proc/{p.pid}/map_files/{span}", "rb").close()
        check("removed: and read", models and (models[0]["architecture"], models[0]["layers"]) == ("llama", 4), models)
    except (OSError, StopIteration) as error: skip("removed: and read", f"the mapping may not be opened here: {error}")
    p.kill(), p.wait(), p.stdout.close()


def damaged_models(tmp):
    """What is wrong with the files of a process is said of it, and a refused header names no model."""
    folder = f"{tmp}/damaged"
    os.makedirs(folder)
    whole = f"{folder}/whole.gguf"
    subprocess.run([sys.executable, f"{MODELS}/make_gguf.py", "make", "llama-gqa-f16", whole], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, f"{MODELS}/make_gguf.py", "split", "llama-gqa-f16", "3", f"{folder}/split"], check=True, stdout=subprocess.DEVNULL)
    content = open(whole, "rb").read()
    with open(f"{folder}/cut.gguf", "wb") as f: f.write(content[:len(content) // 2])
    with open(f"{folder}/hostile.gguf", "wb") as f: f.write(b"GGUF" + (3).to_bytes(4, "little") + b"\xff" * 7 + b"\x7f" + b"\xff" * 7 + b"\x7f" + b"\0" * 4096)
    with open(f"{folder}/pointer.gguf", "w") as f: f.write("version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 12\n")
    os.unlink(f"{folder}/split-00002-of-00003.gguf")
    names = [f"{folder}/{name}" for name in ("whole.gguf", "cut.gguf", "hostile.gguf", "pointer.gguf", "split-00001-of-00003.gguf")]
    holder = "import sys, time; held = [open(path, 'rb') for path in sys.argv[1:]]; print('ok', flush=True); time.sleep(600)"
    p = subprocess.Popen([sys.executable, "-c", holder, *names], stdout=subprocess.PIPE, text=True)
    p.stdout.readline()
    rc, out, err = run([PROGRAM, "inspect", str(p.pid), "--json"])
    notes = [n["text"] for n in json.loads(out)["notes"]] if rc == 0 else []
    for name, words in (("cut.gguf", "shorter than its own table says"), ("hostile.gguf", "not readable as a model: damaged GGUF file"), ("split-00001-of-00003.gguf", "missing"), ("pointer.gguf", "is a Git LFS pointer")):
        check(f"damaged: {name}: {words}", any(n.startswith(f"{p.pid}: {name}") and words in n for n in notes), notes or err)
    check("damaged: nothing is said of a whole file", not any("whole.gguf" in n for n in notes), notes)
    rc, out, err = run([PROGRAM, "inspect", str(p.pid)])
    check("damaged: the text says so too", rc == 0 and "note: " in out and "hostile.gguf is not readable as a model" in " ".join(out.split()), out)
    p.kill(), p.wait(), p.stdout.close()


class RecordedGpu:
    """A recorded machine whose process 4242, a llama-server, holds 9.0 GiB on its GPU."""
    memory = 9663688704

    def __init__(self, tmp, recipe):
        self.root = f"{tmp}/gpu"
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(f"{CASES}/drm/amd-rdna3-private-client/frame0", self.root, symlinks=True)
        self.model = f"{self.root}/models/model.gguf"
        os.makedirs(f"{self.root}/models")
        subprocess.run([sys.executable, f"{MODELS}/make_gguf.py", "make", recipe, self.model], check=True, stdout=subprocess.DEVNULL)
        self.variables = {"GPUTASKMAN_SYSROOT": self.root, "GPUTASKMAN_NVML": "/nonexistent"}

    def inspect(self, libraries, *flags):
        """(its use of the GPU, its models) with those flags and mapped libraries."""
        named = () if "-hf" in flags else ("-m", "/models/model.gguf")
        with open(f"{self.root}/proc/4242/cmdline", "wb") as f: f.write(b"\0".join(a.encode() for a in ("/opt/llama/llama-server", *named, *flags)) + b"\0")
        with open(f"{self.root}/proc/4242/maps", "w") as f: f.writelines(f"7f0000000000-7f0000100000 r-xp 00000000 fe:01 {11 + i} {path}\n" for i, path in enumerate(libraries))
        process = inspect(4242, **self.variables)
        return (process.get("gpus") or [{}])[0], process["models"]


def cpu_only_in_gpu_process(tmp):
    """A process on a GPU whose model is kept off it: the weights are the host's, and nothing of the GPU's memory is explained."""
    machine, vulkan = RecordedGpu(tmp, "llama-gqa-f16"), ["/opt/llama/libggml-vulkan.so"]
    for libraries in (vulkan, []):
        for flags in (("-ngl", "0"), ("--device", "none"), ("-dev", "none", "-ngl", "99"), ("--n-gpu-layers=0",)):
            use, models = machine.inspect(libraries, "-c", "4096", *flags)
            name = f"CPU only, {' '.join(flags)}{'' if libraries else ', backend built in'}"
            check(f"{name}: nothing is explained, all is unexplained", (use.get("explained_bytes"), use.get("unexplained_bytes")) == (0, machine.memory), use)
            check(f"{name}: as an estimate", use.get("not_measured", {}).get("unexplained_bytes") == "estimated", use)
            places = {d["device"]: (d["weights_bytes"], d["kv_cache_bytes"]) for m in models for d in m["devices"]}
            check(f"{name}: weights and cache are the host's", places.pop("host", None) == (223488, 2097152) and set(places.values()) <= {(0, 0)}, places)
            check(f"{name}: no layer is on the GPU", [m["layers_on_gpu"] for m in models] == [0], models)
        use, models = machine.inspect(libraries, "-c", "4096", "-hf", "org/Model-GGUF:Q8_0")
        check("a repository is the model's name where no file is seen", [(m["name"], m["path"]) for m in models] == [("org/Model-GGUF:Q8_0", None)], models)
        use, models = machine.inspect(libraries, "-c", "4096", "-ngl", "99")
        devices = {d["device"]: d for m in models for d in m["devices"]}
        check(f"all layers, {'Vulkan' if libraries else 'backend built in'}: they are on the process's GPU", [(n, d["weights_bytes"]) for n, d in devices.items() if d["adapter_id"]] == [("Vulkan0" if libraries else "GPU0", 186624)], devices)
        check("all layers: what they explain", use.get("explained_bytes", 0) > 186624 + 2097152 and use["explained_bytes"] + use["unexplained_bytes"] == machine.memory, use)


def logs_of_programs(tmp):
    """Logs at the places where programs leave them count for the model that they name, and for no other."""
    machine = RecordedGpu(tmp, "llama-gqa-f16")
    text = ("build: 7000 (abc)\nsrv load_model: loading model '{0}'\nllama_model_loader: loaded meta data with 33 key-value pairs and 38 tensors from {0} (version GGUF V3 (latest))\n"
            "load_tensors:      Vulkan0 model buffer size =  1.00 MiB\n")
    os.makedirs(f"{machine.root}/srv"), os.makedirs(f"{machine.root}/tmp", exist_ok=True)
    for comm, place in (("llamafile", "srv/llama.log"), ("llama-server", "tmp/llama-server.log")):
        with open(f"{machine.root}/proc/4242/comm", "w") as f: f.write(comm + "\n")
        os.path.lexists(f"{machine.root}/proc/4242/cwd") or os.symlink("/srv", f"{machine.root}/proc/4242/cwd")
        for named, counts in (("/models/model.gguf", True), ("/models/other.gguf", False)):
            with open(f"{machine.root}/{place}", "w") as f: f.write(text.format(named))
            use, models = machine.inspect(["/opt/llama/libggml-vulkan.so"], "-c", "4096", "-ngl", "99")
            logs = [e["detail"] for m in models for e in m["evidence"] if e["kind"] == "log"]
            check(f"{comm}: a log about {named}", logs == ([f"/{place}"] if counts else []), models)
            check(f"{comm}: what it says of {named}", [d["source"].get("weights") for m in models for d in m["devices"] if d["adapter_id"]] == ["reported" if counts else "estimated"], models)
        os.unlink(f"{machine.root}/{place}")


def workers_of_init(tmp):
    """A worker that init has adopted lost its server, which is said; a server that is itself the first process of a container is its parent."""
    machine = RecordedGpu(tmp, "llama-gqa-f16")
    place = f"{machine.root}/proc"
    stat = open(f"{place}/1/stat").read().split()
    stat[21] = "5"
    with open(f"{place}/1/stat", "w") as f: f.write(" ".join(stat) + "\n")
    with open(f"{place}/4242/cmdline", "w") as f: f.write("VLLM::EngineCore\0")
    with open(f"{place}/4242/comm", "w") as f: f.write("VLLM::EngineCor\n")
    for command, orphan, names in (("/sbin/init\0", True, []), ("/usr/bin/vllm\0serve\0Qwen/Qwen3-8B\0", False, ["Qwen/Qwen3-8B"])):
        with open(f"{place}/1/cmdline", "w") as f: f.write(command)
        rc, out, err = run([PROGRAM, "inspect", "4242", "--json"], **machine.variables)
        answer = json.loads(out) if rc == 0 else {"processes": [{"models": []}], "notes": []}
        check(f"a worker below {command.split(chr(0))[0]}: whether its server has ended", any("the server that started it has ended" in n["text"] for n in answer["notes"]) == orphan, answer["notes"])
        check(f"a worker below {command.split(chr(0))[0]}: its model", [m["name"] for m in answer["processes"][0]["models"]] == names, answer["processes"][0]["models"])


def warnings_on_screen(tmp):
    """The inspector says what is wrong with a process's file."""
    if not shutil.which("tmux"): return skip("the inspector names the file and what is wrong with it", "no tmux here")
    import terminal
    machine = RecordedGpu(tmp, "llama-gqa-f16")
    content = open(machine.model, "rb").read()
    with open(machine.model, "wb") as f: f.write(content[:len(content) // 2])
    machine.inspect([], "-ngl", "99", "-c", "4096")
    t = terminal.Terminal(PROGRAM, 160, 40, **machine.variables, GPUTASKMAN_SAMPLE_TIMES=",".join(str(100 + n) for n in range(600)))
    t.wait("llama-server")
    t.keys("Enter")
    check("the inspector names the file and what is wrong with it", t.wait("model.gguf: the file is shorter than its own table says"), t.text().replace("\n", "\n# "))
    t.keys("Escape", "q")
    t.close()
    rc, out, err = run([PROGRAM, "--once"], **machine.variables)
    check("and --once", rc == 0 and "model.gguf: the file is shorter" in " ".join(out.split()), (out[-500:], err))


def compute_estimates(tmp):
    """Compute buffers are estimated; how near depends on the model. What llama.cpp logged in the recorded cases, in MiB."""
    rows = (("llama-gqa-f16", "-c 8192 -np 1 -fa off", {"host": 80.76}, 0.02),  # log-b8390-llama-gqa-f16
            ("llama-gqa-f16", "-c 8192 -np 1 -fa on", {"host": 8.70}, 0.02),  # log-b10361-llama-gqa-f16
            ("qwen3-headdim", "-c 16384 -np 2 -ngl 99 -dev RPC0", {"RPC0": 8.88, "host": 8.26}, 0.03),  # proc-server-lv4-rpc
            ("gemma3", "-c 32768 -np 1 -ts 3,1 -ngl 99 -dev RPC0,RPC1", {"RPC0": 134.82, "RPC1": 6.60, "host": 134.20}, 0.02),  # proc-server-lv4-2dev-split: a pipeline
            # The rest: runs of gguf-*/expected.json. Layers that stay on the host compute there; a cache on the host is copied over.
            ("llama-gqa-f16", "-c 8192 -np 1 -ngl 2 -dev RPC0", {"RPC0": 8925184 / MIB, "host": 9123840 / MIB}, 0.02),
            ("gemma3", "-c 8192 -np 1 -ngl 1 -dev RPC0", {"host": 10573824 / MIB}, 0.02),
            ("llama-gqa-f16", "-c 8192 -np 1 -ngl 99 -nkvo -dev RPC0", {"RPC0": 9963520 / MIB, "host": 8665088 / MIB}, 0.02),
            ("gemma4-sharedkv", "-c 8192 -np 1 -ngl 2 -dev RPC0", {"RPC0": 11177984 / MIB}, 0.15),
            ("llama-gqa-f16", "-c 4096 -np 1", {"host": 4929536 / MIB}, 0.02),
            ("bert", "-c 4096 -np 1", {"host": 890880 / MIB}, 0.05),
            ("lfm2", "-c 4096 -np 1", {"host": 4798496 / MIB}, 0.02))
    for recipe, flags, logged, part in rows:
        path = f"{tmp}/{recipe}.gguf"
        subprocess.run([sys.executable, f"{MODELS}/make_gguf.py", "make", recipe, path], check=True, stdout=subprocess.DEVNULL)
        rc, out, err = run([PROGRAM, "inspect", path, "--json", "--", *flags.split()])
        devices = {d["device"]: d for d in json.loads(out)["models"][0]["devices"]} if rc == 0 else {}
        for name, mib in logged.items():
            device = devices.get(name) or {"compute_bytes": None, "source": {}}
            near = device["compute_bytes"] is not None and abs(device["compute_bytes"] / MIB - mib) <= part * mib
            check(f"compute of {recipe} {flags} on {name}: within {part:.0%} of what was logged, and called an estimate", near and device["source"].get("compute") == "estimated", (mib, device, err))


def unknown_compute(tmp):
    """No formula is checked for recurrent layers, latent attention and most encoders: their compute buffers are unavailable, with a reason and without a number."""
    for recipe, flags in (("mamba", "-c 4096"), ("rwkv6", "-c 4096"), ("jamba", "-c 4096"), ("granitehybrid", "-c 4096"), ("nemotron_h", "-c 4096 -np 1"), ("qwen35", "-c 4096"),
                          ("qwen35-mtp", "-c 8192 -np 1 --spec-type draft-mtp"), ("deepseek2-mla", "-c 4096"), ("gemma-embedding", "-c 2048"), ("lfm2", "-c 8192 -np 1 -ngl 2 -dev RPC0"), ("deci-arrays", "-c 8192 -np 1 -ngl 1 -dev RPC0")):
        path = f"{tmp}/{recipe}.gguf"
        subprocess.run([sys.executable, f"{MODELS}/make_gguf.py", "make", recipe, path], check=True, stdout=subprocess.DEVNULL)
        rc, out, err = run([PROGRAM, "inspect", path, "--json", "--", *flags.split()])
        answer = json.loads(out) if rc == 0 else {"models": [], "notes": []}
        devices = [d for m in answer["models"] for d in m["devices"]]
        check(f"compute of {recipe} {flags}: unavailable, with a reason", devices and all(d["compute_bytes"] is None and d.get("unavailable", {}).get("compute_bytes") == "not_supported" for d in devices), devices or err)
        check(f"compute of {recipe} {flags}: weights and cache are estimated all the same", devices and all(d["weights_bytes"] is not None and d["kv_cache_bytes"] is not None for d in devices), devices)
        check(f"compute of {recipe} {flags}: and that is said", any(n["code"] == "compute_unknown" for n in answer["notes"]), answer["notes"])


def contexts(tmp):
    """What a real llama-server of v0.5.0 made of these flags: tokens of all slots together, and the bytes of their cache."""
    path = f"{tmp}/contexts.gguf"
    subprocess.run([sys.executable, f"{MODELS}/make_gguf.py", "make", "qwen3-headdim", path], check=True, stdout=subprocess.DEVNULL)
    for flags, tokens, slots in (("-np 1", 40960, 1), ("-b 2048", 163840, 4), ("-np 3", 122880, 3), ("-np 3 -kvu", 122880, 3), ("-fit off", 40960, 4), ("-np 2 -c 0 -fit off", 40960, 2),
                                 ("-c 5000 -np 3", 5376, 3), ("-c 100 -np 1", 256, 1), ("--ctx_size 4096 --parallel 2", 4096, 2),
                                 ("-np 4 --kv-unified-per-slot 1000", 4096, 4), ("-np 2 -kvu --kv-unified-per-slot 1000 -c 8192", 8192, 2)):
        rc, out, err = run([PROGRAM, "inspect", path, "--json", "--", *flags.split()])
        models = json.loads(out)["models"] if rc == 0 else []
        check(f"context of {flags}", [(m["context"], m["slots"]) for m in models] == [(tokens, slots)], models or err)
        check(f"cache of {flags}", [sum(d["kv_cache_bytes"] for d in m["devices"]) for m in models] == [tokens * 1024], models)
    for recipe, flags, accepted in (("llama-gqa-f16", "-ctk q8_0", False), ("llama-gqa-f16", "-fa off -ctk q8_0", True), ("llama-mha-f32", "-fa off -ctk q4_1", True), ("jamba", "-fa off -ctk q8_0", True),
                                    ("deepseek2-mla", "-ctk f32", False), ("deepseek2-mla", "-ctk f32 -ctv f32", True), ("deepseek2-legacy", "-ctk f32", True),
                                    ("llama-gqa-f16", "-np 300", False), ("llama-gqa-f16", "-np 256", True), ("llama-gqa-f16", "-dev none -sm tensor", False)):
        subprocess.run([sys.executable, f"{MODELS}/make_gguf.py", "make", recipe, path], check=True, stdout=subprocess.DEVNULL)
        rc, out, err = run([PROGRAM, "inspect", path, "--", "-c", "4096", *flags.split()])
        check(f"{recipe} {flags}: {'accepted' if accepted else 'refused'} as by the runtime", (rc == 0) == accepted and (accepted or "llama.cpp refuses" in err), (rc, err))
    # A recurrent state is kept once more for each token that a draft head may have to take back, and for no other way of guessing.
    subprocess.run([sys.executable, f"{MODELS}/make_gguf.py", "make", "qwen35-mtp", path], check=True, stdout=subprocess.DEVNULL)
    attention, state = 2097152, 16896
    for flags, bytes_ in (("", attention + state), ("--spec-type ngram-simple", attention + state), ("--spec-type draft-mtp", 2 * attention + 4 * state), ("--spec-type draft-mtp --spec-draft-n-max 5", 2 * attention + 6 * state)):
        rc, out, err = run([PROGRAM, "inspect", path, "--json", "--", "-c", "8192", "-np", "1", *flags.split()])
        check(f"state of a draft {flags}", [sum(d["kv_cache_bytes"] for d in m["devices"]) for m in (json.loads(out)["models"] if rc == 0 else [])] == [bytes_], (bytes_, out[-400:], err))


def companions(tmp):
    """What is loaded beside a model: a draft on devices of its own, a projector on the device it was given, an adapter for another model."""
    paths = {}
    for recipe in ("qwen3-headdim", "llama-gqa-f16", "mmproj", "lora"):
        paths[recipe] = f"{tmp}/beside-{recipe}.gguf"
        subprocess.run([sys.executable, f"{MODELS}/make_gguf.py", "make", recipe, paths[recipe]], check=True, stdout=subprocess.DEVNULL)
    def look(model, *flags):
        rc, out, err = run([PROGRAM, "inspect", paths[model], "--json", "--", "-c", "4096", "-ngl", "99", "-dev", "CUDA0,CUDA1", "-ts", "1,1", *flags])
        return {m["kind"]: {d["device"]: d["weights_bytes"] for d in m["devices"] if d["weights_bytes"]} for m in json.loads(out)["models"]} if rc == 0 else err
    whole, input_only = 186624, 36864
    check("a draft on devices of its own", look("qwen3-headdim", "-md", paths["llama-gqa-f16"], "-ngld", "99", "-devd", "CUDA1").get("draft") == {"CUDA1": whole, "host": input_only})
    check("a draft on the host", look("qwen3-headdim", "-md", paths["llama-gqa-f16"], "-devd", "none").get("draft") == {"host": 223488})
    check("a projector where it is told", [look("qwen3-headdim", "-mm", paths["mmproj"], *more).get("projector") for more in ((), ("-mmdev", "CUDA1"), ("--mmproj-device", "none"), ("--no-mmproj-offload",))]
          == [{"CUDA0": 88832}, {"CUDA1": 88832}, {"host": 88832}, {"host": 88832}])
    refused = look("qwen3-headdim", "--lora", paths["lora"])
    check("an adapter for another model is refused", isinstance(refused, str) and "it is for 'llama', the model is 'qwen3'" in refused, refused)
    check("one for this model is split as it is", set(look("llama-gqa-f16", "--lora", paths["lora"]).get("adapter", {})) == {"CUDA0", "CUDA1"})


def odd_paths(tmp):
    """One model however it is named, linked or spelled; two are two."""
    folder = f"{tmp}/odd\n\x1b[31m \u202e\u65e5\u672c"
    os.makedirs(f"{folder}/sub")
    first, second = f"{folder}/first model.gguf", f"{folder}/second.gguf"
    for recipe, path in (("qwen3-headdim", first), ("gemma3", second)): subprocess.run([sys.executable, f"{MODELS}/make_gguf.py", "make", recipe, path], check=True, stdout=subprocess.DEVNULL)
    os.link(first, f"{folder}/hard.gguf"), os.symlink("first model.gguf", f"{folder}/soft.gguf"), os.symlink("loop.gguf", f"{folder}/loop.gguf")
    names = [first, f"{folder}/hard.gguf", f"{folder}/soft.gguf", f"{folder}//sub/../first model.gguf", second, f"{folder}/loop.gguf"]
    holder = """import mmap, sys, time
held = []
for path in sys.argv[1:]:
    try:
        with open(path, "rb") as f: held.append(mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ))
    except OSError: pass
print("ok", flush=True); time.sleep(600)"""
    p = subprocess.Popen([sys.executable, "-c", holder, *names], stdout=subprocess.PIPE, text=True)
    p.stdout.readline()
    models = [m for m in inspect(p.pid)["models"] if m["architecture"]]
    check("odd paths: two files are two models, by whatever names", sorted(m["architecture"] for m in models) == ["gemma3", "qwen3"], models)
    check("odd paths: each is known by its mapping", all(any(e["kind"] == "mapped" for e in m["evidence"]) for m in models), models)
    rc, out, err = run([PROGRAM, "inspect", str(p.pid)])
    check("odd paths: nothing reaches the terminal", rc == 0 and "\x1b" not in out and "\u202e" not in out, repr(out))
    p.kill(), p.wait(), p.stdout.close()


def model_folder(tmp):
    """A folder given as the model and its files, mapped, are one model, however the folder is spelled."""
    folder = f"{tmp}/served/Tiny-Chat"
    os.makedirs(f"{folder}/other"), os.makedirs(f"{tmp}/sglang")
    os.symlink("Tiny-Chat", f"{tmp}/served/alias")
    parts = [f"{folder}/model-0000{n}-of-00002.safetensors" for n in (1, 2)]
    for n, path in enumerate([*parts, f"{folder}/other/model.safetensors"]):
        header = json.dumps({f"model.layers.{n}.w": {"dtype": "F16", "shape": [1024], "data_offsets": [0, 2048]}}).encode()
        with open(path, "wb") as f: f.write(len(header).to_bytes(8, "little") + header + b"\0" * 2048)
    with open(f"{folder}/model.safetensors.index.json", "w") as f: json.dump({"metadata": {"total_size": 4096}, "weight_map": {f"model.layers.{n}.w": os.path.basename(path) for n, path in enumerate(parts)}}, f)
    with open(f"{folder}/config.json", "w") as f: json.dump({"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "num_hidden_layers": 2, "hidden_size": 1024}, f)
    open(f"{tmp}/sglang/__init__.py", "w").close()
    with open(f"{tmp}/sglang/launch_server.py", "w") as f: f.write("""import mmap, os, time
held = []
for path in os.environ["HELD"].split(":"):
    with open(path, "rb") as f: held.append(mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ))
print("ok", flush=True); time.sleep(600)""")
    for named, held, want in ((folder, parts, ["mapped", "open_file"]), (f"{folder}/", parts[:1], ["mapped", "open_file"]), (f"{tmp}/served/alias", parts, ["mapped", "open_file"]),
                              (folder, [f"{folder}/other/model.safetensors"], [])):
        p = subprocess.Popen([sys.executable, "-m", "sglang.launch_server", "--model-path", named], cwd=tmp, env=environment(HELD=":".join(held)), stdout=subprocess.PIPE, text=True)
        p.stdout.readline()
        models = inspect(p.pid)["models"]
        first = models[0] if models else {"evidence": []}
        check(f"a folder as the model, {os.path.relpath(named, tmp)}: {1 if want else 2} of them", len(models) == (1 if want else 2), models)
        check(f"a folder as the model, {os.path.relpath(named, tmp)}: all of its weights", first.get("file_bytes") and first["file_bytes"] >= 2 * 2048, models)
        check(f"a folder as the model, {os.path.relpath(named, tmp)}: named, and mapped where it is", sorted(e["kind"] for e in first["evidence"]) == sorted(["cmdline", *want]), models)
        p.kill(), p.wait(), p.stdout.close()


VLLM = r'''
import http.server, json, os, subprocess, sys
log = sys.argv[3]
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def do_GET(self):
        with open(log, "a") as f: f.write(json.dumps([self.path, self.headers.get("Authorization"), None]) + "\n")
        body = json.dumps({"object": "list", "data": [{"id": "Qwen/Qwen3-8B", "root": "Qwen/Qwen3-8B", "parent": None, "max_model_len": 40960}]}) if self.path == "/v1/models" else \
            'vllm:num_requests_running{engine="0",model_name="Qwen/Qwen3-8B"} 7.0\nvllm:kv_cache_usage_perc{engine="0"} 0.62\nvllm:cache_config_info{block_size="16",kv_cache_size_tokens="290000",num_gpu_blocks="None"} 1.0\n'
        self.send_response(200); self.end_headers(); self.wfile.write(body.encode())
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
titles = ["VLLM::EngineCore", "VLLM::Worker_TP0", "VLLM::Worker_TP1"]
output = open(log + ".output", "a")
children = [subprocess.Popen([title, "-c", "import time; time.sleep(600)"], executable=os.readlink("/proc/self/exe"), stdout=output, stderr=output) for title in titles]
for child, role, gib in zip(children[1:], ("Worker_TP0", "Worker_TP1"), ("7.50", "7.25")):
    output.write(f"({role} pid={child.pid}) INFO 10-01 09:12:20 [gpu_model_runner.py:2602] Starting to load model Qwen/Qwen3-8B...\n")
    output.write(f"({role} pid={child.pid}) INFO 10-01 09:12:31 [gpu_model_runner.py:2653] Model loading took {gib} GiB and 5.123 seconds\n")
    output.write(f"({role} pid={child.pid}) INFO 10-01 09:12:51 [gpu_worker.py:298] Available KV cache memory: 20.00 GiB\n")
output.flush()
with open(log + ".children", "w") as f: f.write(" ".join(str(child.pid) for child in children))
print(server.server_address[1], flush=True)
try: server.serve_forever()
finally:
    for child in children: child.kill()
'''


def workers(tmp):
    """One model in several processes: each worker is told by its proven parent, which is given its own key and no other."""
    server = Running(tmp, "vllm", "serve", "--api-key", "sesame", code=VLLM)
    other = Running(tmp, "llama-server", "good", "--api-key", "another-key", "-m", "/nonexistent/x.gguf")
    children = [int(pid) for pid in open(server.log + ".children").read().split()]
    for child, title in zip(children, ("engine", "worker 0", "worker 1")):
        process = inspect(child)
        names = [m["name"] for m in process["models"]]
        live = live_of(process)
        check(f"tensor parallel, {title}: its model", names == ["Qwen/Qwen3-8B"], process)
        held = [(d["device"], d["weights_bytes"], d["kv_cache_bytes"], d["source"]) for m in process["models"] for d in m["devices"]]
        said = {"weights": "reported", "kv_cache": "reported"}
        want = {"engine": [], "worker 0": [("GPU", 7.5 * 2 ** 30, 20 * 2 ** 30, said)], "worker 1": [("GPU", 7.25 * 2 ** 30, 20 * 2 ** 30, said)]}
        check(f"tensor parallel, {title}: what its own lines in the common log say", held == want[title], held)
        check(f"tensor parallel, {title}: room of the KV cache, as reported", [(m["kv_pool_tokens"], m["not_measured"].get("kv_pool_tokens")) for m in process["models"]] == [(290000, "reported")], process["models"])
        check(f"tensor parallel, {title}: live figures", live and (live["requests_running"], live["kv_used_percent"]) == (7, 62.0), live)
    check("tensor parallel: the server's key and no other", {r[1] for r in server.requests()} == {"Bearer sesame"}, server.requests())
    check("tensor parallel: no key of it goes anywhere else", all("sesame" not in json.dumps(r) for r in other.requests()), other.requests())
    for child in children: os.kill(child, signal.SIGKILL)
    server.end(), other.end()


def words(tmp):
    rc, out, err = run([PROGRAM, "inspect", "a.gguf", "b.gguf"])
    check("two files: wrong usage, and how flags are given", rc == 2 and "'b.gguf'" in err and "'--'" in err, err)
    with open(f"{tmp}/damaged.gguf", "wb") as f: f.write(b"GGUF\3\0\0\0")
    rc, out, err = run([PROGRAM, "inspect", f"{tmp}/damaged.gguf"])
    check("a damaged file is named", rc == 1 and f"{tmp}/damaged.gguf: damaged GGUF file" in err, err)
    for name, sized in (("old.pth", False), ("model.onnx", False), ("engine.plan", False), ("model.safetensors", True), ("pytorch_model.bin", True)):
        rc, out, err = run([PROGRAM, "inspect", f"{MODELS}/other-formats/{name}", "--json"])
        answer = json.loads(out) if rc == 0 else {"models": [{"devices": [{}]}], "notes": []}
        known, said = answer["models"][0]["devices"][0].get("weights_bytes") is not None, any(n["code"] == "weights_unknown" for n in answer["notes"])
        check(f"{name}: its size, or why there is none", (rc, known, said) == (0, sized, not sized), (out, err))
    server = Running(tmp, "llama-server", "redirect", "-m", "/nonexistent/x.gguf")
    rc, out, err = run([PROGRAM, "inspect", str(server.pid)])
    check("the text says that a server was ignored, too", rc == 0 and "note: " in out and "leads elsewhere" in " ".join(out.split()), out)
    server.end()


def unnamed_server(tmp):
    """ComfyUI says how busy it is and not with which model: that belongs to the only one it has open."""
    code = r'''
import http.server, json, sys
model = open(sys.argv[4], "rb")
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def do_GET(self):
        self.send_response(200); self.end_headers()
        self.wfile.write(json.dumps({"queue_running": [[1, "a", {}]], "queue_pending": [[2], [3]]} if self.path == "/queue" else {"system": {"comfyui_version": "0.3.15", "argv": ["--token", "sesame"]}, "devices": []}).encode())
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
'''
    path = f"{tmp}/sd.safetensors"
    header = json.dumps({"model.diffusion_model.x": {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]}}).encode()
    with open(path, "wb") as f: f.write(len(header).to_bytes(8, "little") + header + b"\0" * 4)
    folder = f"{tmp}/ComfyUI"
    os.makedirs(folder)
    with open(f"{folder}/main.py", "w") as f: f.write(code)
    p = subprocess.Popen(["python3", f"{folder}/main.py", "-", "-", "-", path], executable=sys.executable, env=environment(), stdout=subprocess.PIPE, text=True)
    p.stdout.readline()
    process = inspect(p.pid)
    live = live_of(process)
    check("ComfyUI: its queue", live and (live["source"], live["requests_running"], live["requests_waiting"]) == ("ComfyUI", 1, 2), process["models"])
    check("ComfyUI: what kind it is", process["class"] == "diffusion", process["class"])
    check("ComfyUI: its arguments are not kept", "sesame" not in json.dumps(process))
    p.kill(), p.wait(), p.stdout.close()


for case in sorted(glob.glob(f"{MODELS}/proc-*")): recorded(case)
ollama_runner()
hugging_face()
with tempfile.TemporaryDirectory() as folder:
    cpu_only_in_gpu_process(folder)
    warnings_on_screen(folder), workers_of_init(folder), logs_of_programs(folder)
    own_server(folder)
    strangers(folder)
    bad_servers(folder)
    parent_server(folder)
    if sys.platform == "linux": journal(folder), removed_model(folder), damaged_models(folder)
    log_files(folder)
    compute_estimates(folder), unknown_compute(folder), companions(folder), contexts(folder)
    odd_paths(folder)
    model_folder(folder)
    workers(folder)
    words(folder)
    unnamed_server(folder)
done()
