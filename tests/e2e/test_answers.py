#!/usr/bin/env python3
"""How long a key waits for its answer while a driver, a disk or a server hangs: from the byte written to the
pseudo-terminal to the first byte of the frame that follows. Prints the median and the worst of many keys; the bound of
the test is wider than the product's 50 ms, because tests run on loaded machines and under sanitizers.
usage: test_answers.py PROGRAM CASES FAKE_NVML LIBCUDA FAULTS"""
import fcntl, os, pty, select, shutil, statistics, struct, subprocess, sys, tempfile, termios, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases"))
import relink, screens, tap
from tap import done, wait_for

PROGRAM, CASES, FAKE_NVML, LIBCUDA, FAULTS = map(os.path.abspath, sys.argv[1:6])
TARGET_MS, BOUND_MS, HANG_MS = 50, 1000, 60000
ROUNDS = 6
UP, DOWN = b"\x1b[A", b"\x1b[B"
# Each changes what is on the screen, whatever is known of the machine.
KEYS = [(b"S", "the sort menu"), (DOWN, "down"), (DOWN, "down"), (UP, "up"), (b"q", "close"), (b"?", "help"), (DOWN, "scroll"), (b"\x1b[6~", "page"),
        (b"\x1b", "escape"), (b"f", "filter"), (b"x", "a letter"), (b"\x7f", "erase"), (b"\r", "enter"), (b"C", "setup"), (DOWN, "down"), (b"\x1b", "escape")]


class Screen:
    """The program in a pseudo-terminal; `speaks`: it answers queries as xterm does."""
    def __init__(self, *arguments, speaks=True, **env):
        self.speaks, self.all = speaks, b""
        self.terminal, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        def own():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        self.process = subprocess.Popen([PROGRAM, *arguments], stdin=slave, stdout=slave, stderr=slave, preexec_fn=own, env=tap.environment(**({"TERM": "xterm-256color"} | env)))
        os.close(slave)

    def read(self, seconds):
        """What comes within `seconds`; b"": nothing."""
        if not select.select([self.terminal], [], [], seconds)[0]: return b""
        try: got = os.read(self.terminal, 1 << 16)
        except OSError: return b""
        if self.speaks and b"\x1b[c" in got: os.write(self.terminal, b"\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?62;22c")
        self.all += got
        return got

    def wait(self, words, seconds=20):
        end = time.monotonic() + seconds
        while words not in self.all and time.monotonic() < end: self.read(0.05)
        return words in self.all

    def quiet(self):
        while self.read(0.01): pass

    def answer_ms(self, key):
        self.quiet()
        began = time.monotonic()
        os.write(self.terminal, key)
        return (time.monotonic() - began) * 1e3 if self.read(10) else 10000.0

    def close_ms(self):
        """From q to the terminal being given back."""
        self.quiet()
        self.all, began = b"", time.monotonic()
        os.write(self.terminal, b"q")
        self.wait(b"\x1b[?1049l", 10)
        restored = (time.monotonic() - began) * 1e3
        wait_for(lambda: self.read(0.01) and False or self.process.poll() is not None, 10, 0)
        if self.process.poll() is None: self.process.kill()
        os.close(self.terminal)
        return restored, self.process.wait()


def measure(what, screen, hangs):
    """Presses all keys some times over, and leaves."""
    ready = screen.wait(b"Quit")
    tap.check(f"{what}: the screen is there", ready and bool(wait_for(lambda: screen.quiet() or hangs(), 20)), screen.all[-2000:])
    took = [(screen.answer_ms(key), name) for _ in range(ROUNDS) for key, name in KEYS]
    worst, median = max(took), statistics.median(ms for ms, _ in took)
    restored, status = screen.close_ms()
    print(f"# {what}: {len(took)} keys, median {median:.1f} ms, worst {worst[0]:.1f} ms ({worst[1]}; product's bound {TARGET_MS} ms); q gives the terminal back in {restored:.1f} ms", flush=True)
    tap.check(f"{what}: half of the keys are answered in {TARGET_MS} ms, each in {BOUND_MS} ms", median < TARGET_MS and worst[0] < BOUND_MS, sorted(took)[-5:])
    tap.check(f"{what}: q leaves at once, with status 0", restored < 2000 and status == 0, (restored, status))


def recorded(tmp, machine="llm"):
    env = screens.MACHINES[machine](CASES, FAKE_NVML, tmp)
    env.pop("GPUTASKMAN_WALL_TIMES")
    return env | {"GPUTASKMAN_SAMPLE_TIMES": ",".join(str(100 + n) for n in range(600)), "XDG_CONFIG_HOME": f"{tmp}/config"}


def nothing(tmp):
    """What the others are compared with."""
    measure("nothing hangs", Screen("-i", "0.2", **recorded(tmp)), lambda: True)


def silent_terminal(tmp):
    """Its Esc waits for what may follow only while a reply can still be on its way."""
    began = time.monotonic()
    measure("a terminal that answers no question", Screen("-i", "0.2", speaks=False, **recorded(tmp)), lambda: time.monotonic() - began > 1.5)


def driver(tmp):
    with open(f"{tmp}/scenario.txt", "w") as f: f.write(screens.cards(2)(CASES) + f"latency * {HANG_MS}\n")
    screen = Screen("-i", "0.2", LD_LIBRARY_PATH=os.path.dirname(FAKE_NVML), FAKE_NVML_SCENARIO=f"{tmp}/scenario.txt", XDG_CONFIG_HOME=f"{tmp}/config")
    measure("NVML hangs", screen, lambda: True)


def disk(tmp, what, path, machine="llm"):
    """A file whose opening does not come back, as on a dead network file system or a GPU in reset."""
    with open(f"{tmp}/faults.txt", "w") as f: f.write(f"HANG open {path}\n")
    screen = Screen("-i", "0.2", LD_PRELOAD=FAULTS, GPUTASKMAN_TEST_FAULTS=f"{tmp}/faults.txt", GPUTASKMAN_TEST_FAULTS_COUNT=f"{tmp}/faulted",
                    ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0:" + os.environ.get("ASAN_OPTIONS", ""), **recorded(tmp, machine))
    measure(what, screen, lambda: os.path.exists(f"{tmp}/faulted"))


SILENT = """
import ctypes, socket, sys, time
ctypes.CDLL(sys.argv[1])
server = socket.create_server(("127.0.0.1", 0))
print("ready", flush=True)
kept = []
while True:
    kept.append(server.accept())
    open(sys.argv[2], "w").close()
"""


def server(tmp):
    """A model server that takes every request and answers none."""
    with open(f"{tmp}/server.py", "w") as f: f.write(SILENT)
    child = subprocess.Popen(["llama-server", f"{tmp}/server.py", LIBCUDA, f"{tmp}/asked", "-m", "/nonexistent/x.gguf"], executable=sys.executable, stdout=subprocess.PIPE, text=True)
    try:
        child.stdout.readline()
        with open(f"{tmp}/scenario.txt", "w") as f: f.write(screens.cards(1)(CASES).split("proc ")[0] + f"proc 0 pid={child.pid} type=C mem=4GiB\n")
        screen = Screen("-i", "0.2", LD_LIBRARY_PATH=os.path.dirname(FAKE_NVML), FAKE_NVML_SCENARIO=f"{tmp}/scenario.txt", XDG_CONFIG_HOME=f"{tmp}/config")
        measure("a server hangs", screen, lambda: os.path.exists(f"{tmp}/asked"))
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def powershell(tmp):
    """WSL, whose Windows side takes the question and says nothing."""
    shutil.copytree(f"{CASES}/wsl/exit_and_pid_reuse/root-t0", f"{tmp}/root", symlinks=True)
    relink.relink(f"{tmp}/root")
    with open(f"{tmp}/powershell", "w") as f: f.write(f"#!/bin/sh\n: > {tmp}/asked\nexec sleep 60\n")
    os.chmod(f"{tmp}/powershell", 0o755)
    with open(f"{tmp}/scenario.txt", "w") as f: f.write(screens.cards(1)(CASES).split("proc ")[0])
    screen = Screen("-i", "0.2", GPUTASKMAN_SYSROOT=f"{tmp}/root", GPUTASKMAN_NVML=FAKE_NVML, FAKE_NVML_SCENARIO=f"{tmp}/scenario.txt", GPUTASKMAN_POWERSHELL=f"{tmp}/powershell",
                    GPUTASKMAN_SELF_PID="650", XDG_CACHE_HOME=f"{tmp}/cache", XDG_CONFIG_HOME=f"{tmp}/config")
    measure("PowerShell hangs", screen, lambda: os.path.exists(f"{tmp}/asked"))


for test in (nothing, silent_terminal, driver, server, powershell):
    with tempfile.TemporaryDirectory() as tmp: test(tmp)
for what, path in (("a sysfs file hangs", "gpu_busy_percent"), ("a process's file hangs", "proc/4242/stat")):
    with tempfile.TemporaryDirectory() as tmp: disk(tmp, what, path)
done()
