#!/usr/bin/env python3
"""The NVML helper tortured from outside. usage: test_helper.py PROGRAM FAKE_NVML"""
import json, os, signal, subprocess, sys, tempfile, time

from tap import check, done, environment, helpers, run, snapshots, wait_for

PROGRAM, FAKE_NVML = sys.argv[1:3]
DEVICE = """driver 550.54.14
device 0
 name Test GPU
 uuid GPU-00000000-0000-4000-8000-000000000000
 pci 00000000:01:00.0
 mem_total 16GiB
 mem_used 2GiB
 util_gpu 40
 util_mem 12
"""


def scenario(tmp, extra=""):
    path = f"{tmp}/scenario.txt"
    with open(path, "w") as f: f.write(DEVICE + extra)
    return {"GPUTASKMAN_NVML": FAKE_NVML, "FAKE_NVML_SCENARIO": path}


class Recording:
    """A `record` at work, its lines read as they come."""
    def __init__(self, tmp, env, interval="0.2"):
        self.path = f"{tmp}/r.jsonl"
        if os.path.exists(self.path): os.remove(self.path)
        self.process = subprocess.Popen([PROGRAM, "record", "-i", interval, "-o", self.path], env=environment(**env), stderr=subprocess.PIPE, text=True)

    def lines(self): return snapshots(open(self.path).read()) if os.path.exists(self.path) else []
    def nvml(self): return [next((s for s in line["sources"] if s["name"] == "nvml"), None) for line in self.lines()]
    def last(self): lines = self.nvml(); return lines[-1] if lines else None
    def state(self, wanted, seconds=10): return wait_for(lambda: (self.last() or {}).get("state") == wanted, seconds)

    def end(self):
        self.process.terminate()
        return self.process.wait(timeout=10)


def killed_and_restarted(tmp):
    recording = Recording(tmp, scenario(tmp))
    check("the driver answers through a helper", recording.state("ok"), recording.last())
    first = helpers(recording.process.pid)
    check("there is exactly one helper", len(first) == 1, first)
    os.kill(first[0], signal.SIGKILL)
    check("a killed helper is a state with its signal", recording.state("failed") and "9" in (recording.last()["detail"] or ""), recording.last())
    check("its adapter stays listed, without figures", recording.lines()[-1]["adapters"] and recording.lines()[-1]["adapters"][0]["load_percent"] is None)
    began = time.monotonic()
    check("it is started again after 5 s", recording.state("ok", 12) and time.monotonic() - began > 3, recording.last())
    recording.end()
    check("no helper is left behind", wait_for(lambda: not os.path.exists(f"/proc/{first[0]}")) and not helpers(recording.process.pid))


def crashed(tmp):
    # A sanitizer's own handler would turn the signal into an exit status.
    unhandled = {name: "handle_segv=0:" + os.environ.get(name, "") for name in ("ASAN_OPTIONS", "TSAN_OPTIONS")}
    recording = Recording(tmp, scenario(tmp, "crash nvmlDeviceGetUtilizationRates 11\n") | unhandled)
    check("a library that crashes is a state, not our end", recording.state("failed") and "SIGSEGV" in recording.last()["detail"], recording.last())
    check("samples go on", wait_for(lambda: len(recording.lines()) >= 5), len(recording.lines()))
    recording.end()


def parent_killed(tmp):
    recording = Recording(tmp, scenario(tmp))
    recording.state("ok")
    pids = helpers(recording.process.pid)
    recording.process.kill()
    recording.process.wait()
    check("the helper dies with its parent", pids and wait_for(lambda: not any(os.path.exists(f"/proc/{p}") for p in pids), 3), pids)
    hung = Recording(tmp, scenario(tmp, "latency nvmlDeviceGetUtilizationRates 60000\n"))
    pids = wait_for(lambda: helpers(hung.process.pid))
    time.sleep(0.5)
    hung.process.kill()
    hung.process.wait()
    check("also while the library hangs", pids and wait_for(lambda: not any(os.path.exists(f"/proc/{p}") for p in pids), 3), pids)


def closing_is_quick(tmp):
    env = scenario(tmp, "latency nvmlDeviceGetUtilizationRates 60000\n")
    recording = Recording(tmp, env)
    wait_for(lambda: helpers(recording.process.pid))
    time.sleep(0.5)
    began = time.monotonic()
    recording.process.terminate()
    recording.process.wait(timeout=70)
    # record waits for one-shot answers; a signal must not have to.
    check("SIGTERM ends it within a second, whatever hangs", time.monotonic() - began < 1.0, time.monotonic() - began)


def nothing_to_ask(tmp):
    rc, out, err = run([PROGRAM, "record", "--count", "1", "-o", "-"], GPUTASKMAN_NVML="/nonexistent")
    states = [s["state"] for line in snapshots(out) for s in line["sources"] if s["name"] == "nvml"]
    check("no library: absent or failed, with words", states and states[0] in ("absent", "failed"), f"{rc} {out[:300]} {err}")


with tempfile.TemporaryDirectory() as tmp:
    killed_and_restarted(tmp), crashed(tmp), parent_killed(tmp), closing_is_quick(tmp), nothing_to_ask(tmp)
done()
