#!/usr/bin/env python3
"""Makes data/demo.jsonl, the recording behind --demo, with the real program on a recorded machine.

usage: make_demo.py BINARY OUTPUT

The machine is put together from recorded ones of tests/cases/drm (a hybrid laptop's integrated GPU and a
discrete card); what its processes do over time is made up here. Each sample is a file tree, which the
program reads as it reads a live machine. Python 3.11, standard library only.
"""
import json, os, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "..", "tests", "cases", "drm")
sys.path.insert(0, os.path.join(HERE, "..", "tests", "cases", "models"))
import make_gguf
MODEL = "/home/user/models/qwen3-14b-q4_k_m.gguf"
SAMPLES, GIB, MIB, KIB = 34, 1 << 30, 1 << 20, 1 << 10
DISCRETE, INTEGRATED = "0000:03:00.0", "0000:64:00.0"
REGIONS = ("cpu", "gtt", "vram")


def ramp(t, begin, end, low, high):
    return low if t <= begin else high if t >= end else low + (high - low) * (t - begin) / (end - begin)


def wave(t, period, low, high):
    """A triangle: a demo needs no sine."""
    x = (t % period) / period
    return low + (high - low) * (2 * x if x < 0.5 else 2 - 2 * x)


class Client:
    """A DRM client whose sizes and loads are functions of time."""
    def __init__(self, pdev, node, number, vram, gtt, loads, shared=0):
        self.pdev, self.node, self.number, self.vram, self.gtt, self.loads, self.shared = pdev, node, number, vram, gtt, loads, shared
        self.busy = {engine: 1_000_000_000 * (number + 3) for engine in loads}

    def advance(self, t):
        for engine, load in self.loads.items(): self.busy[engine] += int(load(t) / 100 * 1e9)

    def text(self, t):
        sizes = {"cpu": 0, "gtt": int(self.gtt(t)) // KIB * KIB, "vram": int(self.vram(t)) // KIB * KIB}
        lines = ["pos:\t0", "flags:\t02100002", "mnt_id:\t26", "ino:\t1105", "drm-driver:\tamdgpu", f"drm-client-id:\t{self.number}",
                 f"drm-pdev:\t{self.pdev}", "pasid:\t32770"]
        for region in REGIONS:
            kib = f"{sizes[region] // KIB} KiB" if sizes[region] else "0"
            shared = f"{self.shared // KIB} KiB" if self.shared and region == "vram" else "0"
            lines += [f"drm-total-{region}:\t{kib}", f"drm-shared-{region}:\t{shared}", f"drm-resident-{region}:\t{kib}", f"drm-purgeable-{region}:\t0"]
        lines += [f"drm-engine-{engine}:\t{ns} ns" for engine, ns in self.busy.items()]
        return "\n".join(lines) + "\n"


class Process:
    def __init__(self, pid, name, command, rss, clients, begin=-1, end=SAMPLES + 1, cpu=0.05, maps=()):
        self.pid, self.name, self.command, self.rss, self.clients, self.begin, self.end, self.cpu = pid, name, command, rss, clients, begin, end, cpu
        self.maps = maps

    def write(self, root, t):
        top = f"{root}/proc/{self.pid}"
        os.makedirs(f"{top}/fd"), os.makedirs(f"{top}/fdinfo")
        ticks, pages = int(100 * self.cpu * (t + 60)), self.rss // 4096
        # As in the recorded trees: fields 14 and 15 are CPU time, 22 the start stamp, 24 the resident pages.
        stat = f"{self.pid} ({self.name}) S 1 {self.pid} {self.pid} 0 -1 4194560 0 0 0 0 {ticks} {ticks // 4} 0 0 20 0 4 0 {100000 + 10 * self.pid} 327680000 {pages} " + "18446744073709551615" + " 0" * 27
        put(f"{top}/stat", stat + "\n")
        put(f"{top}/comm", self.name + "\n")
        put(f"{top}/cmdline", "\0".join(self.command) + "\0")
        put(f"{top}/status", f"Name:\t{self.name}\nState:\tS (sleeping)\nTgid:\t{self.pid}\nPid:\t{self.pid}\nPPid:\t1\nUid:\t1000\t1000\t1000\t1000\nGid:\t1000\t1000\t1000\t1000\nVmRSS:\t{self.rss // KIB} kB\nThreads:\t4\n")
        put(f"{top}/maps", "".join(f"7f{i:02d}00000000-7f{i:02d}00100000 r--p 00000000 fe:00 {7000 + i}                        {path}\n" for i, path in enumerate(self.maps)))
        for i, client in enumerate(self.clients):
            os.symlink(f"/dev/dri/{client.node}", f"{top}/fd/{5 + i}")
            put(f"{top}/fdinfo/{5 + i}", client.text(t))


def put(path, text):
    with open(path, "w", encoding="utf-8") as f: f.write(text)


def put_sensor(folder, name, value):
    path = os.path.join(folder, name)
    if os.path.exists(path): put(path, f"{value}\n")


def zero(_): return 0


def processes():
    """What happens: a server starts and loads its model; a game starts, and there is no room for both: the server spills into
    system memory until the game ends; a film ends."""
    model = Client(DISCRETE, "renderD129", 77, lambda t: ramp(t, 3, 9, 420 * MIB, 11.4 * GIB),
                   lambda t: 12 * MIB + ramp(t, 19, 22, 0, 640 * MIB) - ramp(t, 29, 31, 0, 640 * MIB),
                   {"compute": lambda t: 0 if t < 10 else wave(t, 8, 55, 97), "dma": lambda t: 34 if 3 < t < 10 else 0.5})
    train = Client(DISCRETE, "renderD129", 91, lambda t: wave(t, 10, 1.1 * GIB, 1.3 * GIB), lambda t: 24 * MIB, {"compute": lambda t: wave(t, 5, 8, 22), "dma": lambda t: 1.5})
    game = Client(DISCRETE, "renderD129", 103, lambda t: ramp(t, 14, 20, 300 * MIB, 2.8 * GIB), lambda t: 40 * MIB, {"gfx": lambda t: wave(t, 6, 40, 71), "dma": lambda t: 2})
    browser = Client(INTEGRATED, "renderD128", 41, lambda t: 380 * MIB, lambda t: wave(t, 9, 700 * MIB, 760 * MIB), {"gfx": lambda t: wave(t, 7, 1, 9)})
    video = Client(INTEGRATED, "renderD128", 42, lambda t: 96 * MIB, lambda t: 160 * MIB, {"enc": lambda t: 18 if t > 5 else 0, "gfx": lambda t: 3})
    desktop = Client(INTEGRATED, "card1", 12, lambda t: 210 * MIB, lambda t: 240 * MIB, {"gfx": lambda t: wave(t, 4, 2, 6)}, shared=120 * MIB)
    return [
        Process(4242, "llama-server", ["llama-server", "-m", MODEL, "-ngl", "99", "-c", "16384", "-np", "1", "-dev", "Vulkan0", "--api-key", "not-a-secret"], 900 * MIB, [model], begin=2, cpu=0.35,
                maps=["/opt/llama.cpp/bin/llama-server", "/opt/llama.cpp/lib/libllama.so", "/opt/llama.cpp/lib/libggml-vulkan.so", MODEL]),
        Process(5310, "python3", ["python3", "train.py", "--epochs", "3"], 3 * GIB, [train], cpu=1.2,
                maps=["/usr/bin/python3.12", "/home/user/venv/lib/python3.12/site-packages/torch/lib/libtorch_hip.so", "/opt/rocm/lib/libamdhip64.so.6"]),
        Process(7755, "starfall.x86_64", ["/home/user/games/starfall/starfall.x86_64"], 2 * GIB, [game], begin=13, end=28, cpu=0.8),
        Process(3310, "firefox", ["firefox"], 1 * GIB, [browser], cpu=0.12),
        Process(3411, "mpv", ["mpv", "--hwdec=auto", "talk.mkv"], 300 * MIB, [video], end=25, cpu=0.2),
        Process(1800, "kwin_wayland", ["kwin_wayland"], 250 * MIB, [desktop], cpu=0.04),
    ]


def write_model(path):
    """The header of a Qwen3 14B in Q4_K_M, with its real shapes; of the weights only their place (a sparse file)."""
    layers, width, hidden, heads, kv_heads, head, words = 40, 5120, 17408, 40, 8, 128, 151936
    model = make_gguf.GGUF()
    for key, kind, value in (("general.architecture", "STR", "qwen3"), ("general.name", "STR", "Qwen3 14B"), ("general.file_type", "U32", make_gguf.FTYPE["Q4_K_M"]),
                             ("qwen3.block_count", "U32", layers), ("qwen3.context_length", "U32", 40960), ("qwen3.embedding_length", "U32", width),
                             ("qwen3.feed_forward_length", "U32", hidden), ("qwen3.attention.head_count", "U32", heads), ("qwen3.attention.head_count_kv", "U32", kv_heads),
                             ("qwen3.attention.key_length", "U32", head), ("qwen3.attention.value_length", "U32", head), ("qwen3.vocab_size", "U32", words)):
        model.kv(key, getattr(make_gguf, kind), value)
    model.t("token_embd.weight", [width, words], "Q4_K").t("output_norm.weight", [width]).t("output.weight", [width, words], "Q6_K")
    for i in range(layers):
        more = i < layers // 8 or i >= 7 * layers // 8 or (i - layers // 8) % 3 == 2  # where the quantizer spends more bits
        for name, dims, kind in (("attn_norm", [width], "F32"), ("attn_q", [width, heads * head], "Q4_K"), ("attn_k", [width, kv_heads * head], "Q4_K"),
                                 ("attn_v", [width, kv_heads * head], "Q6_K" if more else "Q4_K"), ("attn_q_norm", [head], "F32"), ("attn_k_norm", [head], "F32"),
                                 ("attn_output", [heads * head, width], "Q4_K"), ("ffn_norm", [width], "F32"), ("ffn_gate", [width, hidden], "Q4_K"),
                                 ("ffn_up", [width, hidden], "Q4_K"), ("ffn_down", [hidden, width], "Q6_K" if more else "Q4_K")):
            model.t(f"blk.{i}.{name}.weight", dims, kind)
    header = model.header()
    with open(path, "wb") as f:
        f.write(header)
        f.truncate(len(header) + model.weights_bytes())


def base_tree(root):
    """The hybrid laptop, with the discrete card of another recorded machine in place of its sleeping one."""
    shutil.copytree(f"{CASES}/hybrid-suspended-dgpu/frame0", root, symlinks=True)
    for pid in os.listdir(f"{root}/proc"):
        if pid.isdigit(): shutil.rmtree(f"{root}/proc/{pid}")
    hybrid = os.path.realpath(f"{root}/sys/bus/pci/devices/{DISCRETE}")
    other_root = f"{CASES}/amd-rdna3-private-client/frame0"
    other = os.path.realpath(f"{other_root}/sys/bus/pci/devices/{DISCRETE}")
    for name in os.listdir(other):
        if name in ("drm", "driver", "subsystem"): continue
        source, target = os.path.join(other, name), os.path.join(hybrid, name)
        if os.path.isdir(target) and not os.path.islink(target): shutil.rmtree(target)
        elif os.path.lexists(target): os.remove(target)
        if os.path.isdir(source): shutil.copytree(source, target, symlinks=True)
        else: shutil.copy2(source, target)
    put(f"{hybrid}/power/runtime_status", "active\n")
    for ids in ("usr/share/libdrm/amdgpu.ids", "usr/share/misc/pci.ids"):
        os.makedirs(os.path.dirname(f"{root}/{ids}"), exist_ok=True)
        with open(f"{root}/{ids}", "a", encoding="utf-8") as f: f.write(open(f"{other_root}/{ids}", encoding="utf-8").read())
    return hybrid, os.path.realpath(f"{root}/sys/bus/pci/devices/{INTEGRATED}")


def hwmon_of(device):
    folder = f"{device}/hwmon"
    return os.path.join(folder, sorted(n for n in os.listdir(folder) if n.startswith("hwmon"))[0])


def sample_tree(root, t, running):
    discrete, integrated = base_tree(root)
    alive = [p for p in running if p.begin <= t < p.end]
    for p in alive: p.write(root, t)
    used = {DISCRETE: [310 * MIB, 24 * MIB], INTEGRATED: [40 * MIB, 30 * MIB]}
    for p in alive:
        for c in p.clients: used[c.pdev][0] += int(c.vram(t)) // KIB * KIB; used[c.pdev][1] += int(c.gtt(t)) // KIB * KIB
    for device, address in ((discrete, DISCRETE), (integrated, INTEGRATED)):
        put_sensor(device, "mem_info_vram_used", used[address][0])
        put_sensor(device, "mem_info_gtt_used", used[address][1])
    load = min(99, int(sum(c.loads[e](t) for p in alive for c in p.clients if c.pdev == DISCRETE for e in c.loads if e in ("compute", "gfx"))))
    hwmon = hwmon_of(discrete)
    put_sensor(discrete, "gpu_busy_percent", load)
    put_sensor(discrete, "mem_busy_percent", load // 2)
    for name, value in (("temp1_input", 44000 + load * 220), ("temp2_input", 52000 + load * 310), ("temp3_input", 58000 + load * 180),
                        ("power1_average", (28 + load * 2) * 1_000_000), ("freq1_input", (500 + load * 19) * 1_000_000), ("fan1_input", 900 + load * 9), ("pwm1", 60 + load)):
        put_sensor(hwmon, name, value)
    put_sensor(integrated, "gpu_busy_percent", 6 + int(wave(t, 5, 0, 9)))
    busy = 100000 + 260 * t
    put(f"{root}/proc/stat", f"cpu  {busy} 200 30000 {900000 + 1340 * t} 500 0 0 0 0 0\n" + "".join(f"cpu{i} 1 0 0 1 0 0 0 0 0 0\n" for i in range(16)) + "btime 1799994000\n")
    put(f"{root}/proc/meminfo", f"MemTotal:       65741212 kB\nMemFree:        21000000 kB\nMemAvailable:   {44000000 - 60000 * t} kB\nSwapTotal:       8388604 kB\nSwapFree:        8388604 kB\n")
    os.makedirs(f"{root}/etc", exist_ok=True)
    put(f"{root}/etc/passwd", "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000::/home/user:/bin/sh\n")
    for p in running:
        for c in p.clients: c.advance(t)


def without_nulls(value):
    """A reader takes what is missing for unknown, because not_reported (other reasons stay in `unavailable`), or for
    false. The DRM clients are left out for their size: the recording is built into the program."""
    if isinstance(value, dict): return {k: without_nulls(v) for k, v in value.items() if v is not None and v != [] and v != {} and v != "not_reported" and v is not False and k != "clients"}
    return [without_nulls(v) for v in value] if isinstance(value, list) else value


def main():
    if len(sys.argv) != 3: sys.exit(__doc__)
    binary, output = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as tmp:
        running, trees = processes(), []
        write_model(f"{tmp}/model")
        for t in range(SAMPLES):
            trees.append(f"{tmp}/{t}")
            sample_tree(trees[-1], t, running)
            os.makedirs(os.path.dirname(trees[-1] + MODEL), exist_ok=True)
            os.link(f"{tmp}/model", trees[-1] + MODEL)
        env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GPUTASKMAN_SYSROOT": ":".join(trees), "GPUTASKMAN_NVML": "/nonexistent",
               "GPUTASKMAN_SAMPLE_TIMES": ",".join(str(5000 + t) for t in range(SAMPLES)),
               "GPUTASKMAN_WALL_TIMES": ",".join(str(1_800_000_000 + t) for t in range(SAMPLES))}
        lines = subprocess.run([binary, "record", "--count", str(SAMPLES), "-o", "-"], env=env, check=True, capture_output=True, text=True).stdout.splitlines()
    with open(output, "w", encoding="utf-8") as f:
        for line in lines:
            snapshot = json.loads(line)
            snapshot["origin"] = "demo"
            snapshot["host"]["name"] = "demo"
            snapshot["sources"] = [s for s in snapshot["sources"] if s["state"] == "ok"]
            f.write(json.dumps(without_nulls(snapshot), separators=(",", ":"), ensure_ascii=False) + "\n")
    print(f"{output}: {len(lines)} snapshots, {os.path.getsize(output)} bytes")


if __name__ == "__main__": main()
