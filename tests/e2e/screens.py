#!/usr/bin/env python3
"""What the live screen shows of recorded machines, compared with reviewed files (tests/e2e/screens/NAME.txt).

usage: screens.py PROGRAM CASES FAKE_NVML [--record] [NAME...]

With --record the files are written anew: look at every difference (git diff) before you keep it. A machine's clock is
that of its recording, so that nothing on the screen depends on the day. Standard library and tmux.
"""
import difflib, json, os, re, shutil, sys, tempfile, time

import tap, terminal
from tap import done, skip, wait_for

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "screens")
WALL = 1767225600  # 2026-01-01 00:00:00 UTC


def drm(case):
    """A recorded tree; a later frame holds what changed since the one before."""
    def env(cases, fake_nvml, tmp):
        folder = f"{cases}/drm/{case}"
        names = [name for name in sorted(os.listdir(folder)) if re.fullmatch(r"frame\d+", name)] or ["root"]
        frames = []
        for n in range(max(2, len(names))):
            frames.append(f"{tmp}/frame{n}")
            if n > 0: shutil.copytree(frames[n - 1], frames[n], symlinks=True)
            if n < len(names): shutil.copytree(f"{folder}/{names[n]}", frames[n], symlinks=True, dirs_exist_ok=True)
        return {"GPUTASKMAN_SYSROOT": ":".join(frames), "GPUTASKMAN_NVML": "/nonexistent", **times(len(frames), json.load(open(f"{folder}/expected.json")).get("interval_s", 1))}
    return env


def times(count, interval=1):
    return {"GPUTASKMAN_SAMPLE_TIMES": ",".join(str(100 + n * interval) for n in range(count)),
            "GPUTASKMAN_WALL_TIMES": ",".join(str(WALL + n * interval) for n in range(count))}


def nvml(scenario):
    """An NVIDIA machine: a scripted NVML over a recorded tree that has a card of the name and nothing else."""
    def env(cases, fake_nvml, tmp):
        path = f"{tmp}/scenario.txt"
        with open(path, "w") as f: f.write(scenario(cases))
        root = f"{tmp}/machine"
        os.makedirs(f"{root}/proc", exist_ok=True)
        with open(f"{root}/proc/stat", "w") as f: f.write("cpu  100 0 100 800 0 0 0 0 0 0\nbtime 1767000000\n")
        return {"FAKE_NVML_SCENARIO": path, "GPUTASKMAN_NVML": fake_nvml, "FAKE_NVML_TIMES": "0,1,2", "FAKE_NVML_EPOCH": str(WALL * 1000000),
                "FAKE_NVML_STEP_FILE": f"{tmp}/sample", "GPUTASKMAN_SAMPLE_FILE": f"{tmp}/sample", "GPUTASKMAN_SYSROOT": root, **times(3)}
    return env


def cards(count):
    def scenario(cases):
        text = "driver 550.54.14\n"
        for n in range(count):
            text += (f"device {n}\n name NVIDIA H100 80GB HBM3\n uuid GPU-{n:08x}-0000-4000-8000-000000000000\n pci 00000000:{n + 1:02x}:00.0\n mem_total 80GiB\n"
                     f" mem_used {10 + 4 * n}GiB\n util_gpu {6 * n}\n util_mem {5 * n}\n temp {40 + n}\n power_mw {100000 + 50000 * n}\n power_limit_mw 700000\n"
                     f"proc {n} pid={1000 + n} type=C mem={9 + 4 * n}GiB\n")
        return text
    return scenario


def asleep(scenario):
    """The same, with a card that sleeps: NVML, which would wake it, is not asked."""
    def env(cases, fake_nvml, tmp):
        result = nvml(scenario)(cases, fake_nvml, tmp)
        card = f"{tmp}/machine/sys/devices/pci0000:00/0000:01:00.0"
        os.makedirs(f"{card}/power")
        os.makedirs(f"{tmp}/machine/sys/bus/pci/devices")
        for name, text in {"vendor": "0x10de", "device": "0x2684", "class": "0x030000", "power/control": "auto", "power/runtime_status": "suspended"}.items():
            with open(f"{card}/{name}", "w") as f: f.write(text + "\n")
        os.symlink("../../../devices/pci0000:00/0000:01:00.0", f"{tmp}/machine/sys/bus/pci/devices/0000:01:00.0")
        return result
    return env


def windows(case):
    """A recorded Windows machine; its clock is that of its collections."""
    def env(cases, fake_nvml, tmp):
        folder = f"{cases}/windows/{case}"
        walls = [(json.loads(line)["t100ns"] - 116444736000000000) // 10**7 for line in open(f"{folder}/counters.jsonl") if '"collect"' in line]
        return {"GPUTASKMAN_RECORDED": folder, "GPUTASKMAN_NVML": "/nonexistent", "GPUTASKMAN_WALL_TIMES": ",".join(map(str, walls))}
    return env


def macos(case):
    """A recorded Mac; its clocks are those of its samples."""
    return lambda cases, fake_nvml, tmp: {"GPUTASKMAN_RECORDED": f"{cases}/macos/{case}", "GPUTASKMAN_NVML": "/nonexistent", "GPUTASKMAN_WALL_TIMES": "1764000100,1764000101"}


def case_scenario(name): return lambda cases: open(f"{cases}/nvml/{name}/scenario.txt").read()


MACHINES = {
    "llm": drm("amd-rdna3-private-client"), "apu": drm("amd-apu-strix-llm"), "compositor": drm("amd-primary-node-compositor"),
    "shared": drm("amd-shared-buffers"), "asleep": drm("hybrid-suspended-dgpu"), "video": drm("amd-vcn4-unified-video"), "intel": drm("intel-xe-b580"),
    "partitions": drm("amd-mi300x-cpx-partition"), "sleeper": asleep(cards(1)), "cards1": nvml(cards(1)), "cards2": nvml(cards(2)), "cards8": nvml(cards(8)), "cards16": nvml(cards(16)),
    "macos": macos("runtimes-and-apps"), "macos-sandbox": macos("ledger-denied-in-sandbox"), "macos-power": macos("restart-power-and-limit"),
    "windows": windows("dgpu-browser-game-llm"), "windows-hybrid": windows("hybrid-two-luids"), "windows-uncounted": windows("no-counter-sets"),
}
SIZES = [(120, 40), (80, 24), (40, 10), (300, 100)]
# name: machine, width, height, keys, arguments
SCREENS = {f"{machine}-{w}x{h}": (machine, w, h, [], []) for machine in ("llm", "apu", "compositor", "cards8") for w, h in SIZES}
SCREENS |= {f"macos-{w}x{h}": ("macos", w, h, [], []) for w, h in ((120, 40), (80, 24), (40, 10))}
SCREENS |= {f"windows-{w}x{h}": ("windows", w, h, [], []) for w, h in ((120, 40), (80, 24), (40, 10))}
SCREENS |= {f"{machine}-80x24": (machine, 80, 24, [], []) for machine in ("cards1", "cards2", "cards16", "shared", "asleep", "sleeper", "video", "intel", "partitions", "windows-uncounted")}
SCREENS |= {
    "cards16-120x40": ("cards16", 120, 40, [], []), "llm-39x9": ("llm", 39, 9, [], []),
    "llm-ascii-80x24": ("llm", 80, 24, [], ["--ascii"]), "apu-ascii-120x40": ("apu", 120, 40, [], ["--ascii"]),
    "help-80x24": ("llm", 80, 24, ["?"], []), "help-120x40-end": ("llm", 120, 40, ["?", "End"], []),
    "inspector-120x40": ("llm", 120, 40, ["Enter"], []), "inspector-80x24": ("apu", 80, 24, ["Enter"], []),
    "setup-80x24": ("llm", 80, 24, ["C"], []), "events-80x24": ("llm", 80, 24, ["e"], []), "sort-menu-80x24": ("llm", 80, 24, ["S"], []),
    "filter-80x24": ("llm", 80, 24, ["f", "v", "r", "a", "m"], []), "sort-spill-120x40": ("llm", 120, 40, ["s", "s", "Escape"], []),
    "macos-sandbox-120x40": ("macos-sandbox", 120, 40, [], []), "macos-sandbox-160x24": ("macos-sandbox", 160, 24, [], []), "macos-inspector-80x24": ("macos-power", 80, 24, ["Enter"], []),
    "windows-hybrid-120x40": ("windows-hybrid", 120, 40, ["Enter"], []),
    "one-of-8-80x24": ("cards8", 80, 24, ["3"], []), "tree-80x24": ("compositor", 80, 24, ["t"], []),
}


def settled(t):
    """The screen once it stands still."""
    before, since = t.lines(), time.monotonic()
    end = since + 20
    while time.monotonic() < end and time.monotonic() - since < 0.6:
        time.sleep(0.15)
        now = t.lines()
        if now != before: before, since = now, time.monotonic()
    return before


def capture(program, cases, fake_nvml, screen):
    machine, width, height, keys, arguments = screen
    with tempfile.TemporaryDirectory() as tmp:
        env = MACHINES[machine](cases, fake_nvml, tmp)
        t = terminal.Terminal(program, 120, 40, *arguments, **(env | {"TZ": "UTC"}))
        # The clock of the last sample.
        last = time.gmtime(float(env["GPUTASKMAN_WALL_TIMES"].split(",")[-1]))
        t.wait(time.strftime(r"%H:%M:%S\n", last), 40)
        if (width, height) != (120, 40):
            t.resize(width, height)
            wait_for(lambda: len(t.lines()) == height)
        for key in keys: t.keys(key)
        if "Escape" in keys: time.sleep(0.2)
        lines = settled(t)
        t.keys("Escape", "Escape", "q")
        t.wait("status=0", 3)
        t.close()
    # What differs between builds, and where the test happens to lie.
    return "".join(re.sub(r"\d+\.\d+\.\d+(-\w+)?(?= ·)", "VERSION", line).rstrip() + "\n" for line in lines)


def compare(name, got):
    path = f"{FOLDER}/{name}.txt"
    wanted = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
    difference = "\n# ".join(difflib.unified_diff(wanted.splitlines(), got.splitlines(), "reviewed", "now", lineterm="", n=0))
    tap.check(f"{name} is as reviewed", got == wanted, difference and f"{difference[:3000]}\n# intended? tests/e2e/screens.py --record, then look at git diff")


def main():
    words = [word for word in sys.argv[1:] if word != "--record"]
    if len(words) < 3: sys.exit(__doc__)
    program, cases, fake_nvml, *names = words
    if shutil.which("tmux") is None:
        skip("the screens", "no tmux")
        done()
    record = "--record" in sys.argv
    for name in names or SCREENS:
        got = capture(program, cases, fake_nvml, SCREENS[name])
        if record:
            os.makedirs(FOLDER, exist_ok=True)
            with open(f"{FOLDER}/{name}.txt", "w", encoding="utf-8") as f: f.write(got)
            print(name, flush=True)
        else:
            compare(name, got)
    if not record:
        left = sorted(set(f[:-4] for f in os.listdir(FOLDER)) - set(SCREENS)) if not names else []
        tap.check("every reviewed file belongs to a screen", not left, left)
        done()


if __name__ == "__main__": main()
