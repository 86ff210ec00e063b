#!/usr/bin/env python3
"""record -- COMMAND under a shell's job control: Ctrl-Z, fg, Ctrl-C, a hung-up terminal. usage: test_job_control.py PROGRAM CASES"""
import json, os, pty, signal, subprocess, sys, tempfile, time

from tap import check, children, done, environment, wait_for

PROGRAM, CASES = map(os.path.abspath, sys.argv[1:3])
CASE = f"{CASES}/drm/amd-rdna3-private-client/frame0"
PATIENCE = 60
# What a shell does with a job: a group of its own in the foreground of the terminal; it says what becomes of it.
SHELL = """
import os, signal, subprocess, sys
log = sys.argv[1]
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
def mine(): os.setpgid(0, 0); os.tcsetpgrp(0, os.getpid()); signal.signal(signal.SIGTTOU, signal.SIG_DFL)
job = subprocess.Popen(sys.argv[2:], preexec_fn=mine)
def say(words):
    with open(log, "a") as f: f.write(words + "\\n")
say(f"job {job.pid}")
while True:
    _, status = os.waitpid(job.pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status): break
    say("stopped")
    os.tcsetpgrp(0, os.getpid())
    sys.stdin.readline() # fg
    os.tcsetpgrp(0, job.pid)
    os.killpg(job.pid, signal.SIGCONT)
say(f"status {os.waitstatus_to_exitcode(status)}")
"""
COMMAND = """
import os, signal, sys, time
def say(words):
    with open(sys.argv[1], "a") as f: f.write(words + "\\n")
signal.signal(signal.SIGINT, lambda *_: say("INT"))
signal.signal(signal.SIGHUP, lambda *_: (say("HUP"), os._exit(5)))
say(f"pid {os.getpid()}")
while not os.path.exists(sys.argv[1] + ".end"): time.sleep(0.02)
os._exit(9)
"""


def state(pid):
    try: return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0]
    except OSError: return ""


def lines(path):
    try: return open(path).read().splitlines()
    except OSError: return []


class Job:
    """A shell on a terminal of its own that runs `record` in the foreground."""
    def __init__(self, tmp, *argv):
        self.log, self.words, self.recording = f"{tmp}/log", f"{tmp}/words", f"{tmp}/r.jsonl"
        for name, text in (("shell.py", SHELL), ("command.py", COMMAND)): open(f"{tmp}/{name}", "w").write(text)
        behind = argv or ("--", sys.executable, f"{tmp}/command.py", self.words)
        env = environment(GPUTASKMAN_SYSROOT=CASE, GPUTASKMAN_NVML="/nonexistent")
        self.shell, self.terminal = pty.fork()
        if self.shell == 0:
            os.execve(sys.executable, [sys.executable, f"{tmp}/shell.py", self.log, PROGRAM, "record", "-i", "0.1", "-o", self.recording, *behind], env)
        os.set_blocking(self.terminal, False)
        self.seen = b""
        wait_for(lambda: self.told() and (argv or lines(self.words)) and self.samples() > 1, PATIENCE)
        self.pid = int(self.told()[0].split()[1])
        self.command = 0 if argv else int(lines(self.words)[0].split()[1])

    def read(self):
        try:
            while True: self.seen += os.read(self.terminal, 65536)
        except OSError: return self.seen

    def told(self):
        self.read()
        return lines(self.log)

    def samples(self): return len(lines(self.recording))
    def key(self, byte): os.write(self.terminal, byte)

    def end(self):
        for pid in (self.pid, self.command, self.shell):
            try: pid and os.kill(pid, signal.SIGKILL)
            except OSError: pass
        os.waitpid(self.shell, 0)


def stop_and_go(job, what, seconds=0.5):
    """Ctrl-Z, nothing happens for a while, fg."""
    before = len([line for line in job.told() if line == "stopped"])
    job.key(b"\x1a")
    check(f"{what}: Ctrl-Z stops it, and the shell is told", wait_for(lambda: job.told().count("stopped") == before + 1, PATIENCE), f"{job.told()} {job.seen[-300:]}")
    check(f"{what}: all of it", wait_for(lambda: state(job.pid) == "T" and (not job.command or state(job.command) == "T"), PATIENCE), f"{state(job.pid)} {state(job.command)}")
    held = job.samples()
    time.sleep(seconds)
    check(f"{what}: nothing is recorded meanwhile", job.samples() == held, f"{held} {job.samples()}")
    job.key(b"\n")
    check(f"{what}: fg, and both go on", wait_for(lambda: job.samples() > held + 1 and state(job.pid) != "T" and state(job.command) != "T", PATIENCE), f"{state(job.pid)} {held} {job.samples()} {job.seen[-300:]}")


def main():
    with tempfile.TemporaryDirectory() as tmp:
        job = Job(tmp)
        stop_and_go(job, "record -- COMMAND")
        stop_and_go(job, "once more")
        job.key(b"\x03")
        got = wait_for(lambda: lines(job.words)[1:], PATIENCE)
        time.sleep(0.3)
        check("Ctrl-C reaches the command, once, and is its own business", got and lines(job.words)[1:] == ["INT"] and state(job.pid) not in ("", "Z"), f"{lines(job.words)} {state(job.pid)}")
        open(job.words + ".end", "w").close()
        check("the shell gets the command's status", wait_for(lambda: "status 9" in job.told(), PATIENCE), f"{job.told()} {job.seen[-500:]}")
        check("and the summary is on the terminal", b"Before the command" in job.read(), job.seen[-500:])
        job.end()
    with tempfile.TemporaryDirectory() as tmp:
        job = Job(tmp)
        os.close(job.terminal)
        check("a hung-up terminal reaches the command, once", wait_for(lambda: lines(job.words)[1:], PATIENCE) == ["HUP"], lines(job.words))
        check("and the recording ends with it", wait_for(lambda: state(job.pid) in ("", "Z"), PATIENCE), state(job.pid))
        held = job.samples()
        check("all that was recorded is whole", all(json.loads(line) for line in lines(job.recording)) and held > 1)
        job.end()
    with tempfile.TemporaryDirectory() as tmp:
        job = Job(tmp, "--for", "600")
        stop_and_go(job, "record alone", 6)
        job.key(b"\x03")
        check("Ctrl-C ends it: status 0", wait_for(lambda: "status 0" in job.told(), PATIENCE), f"{job.told()} {job.seen[-300:]}")
        taken = [json.loads(line) for line in lines(job.recording)]
        p = subprocess.run([PROGRAM, "summary", "--json", job.recording], capture_output=True, text=True, env=environment())
        told = json.loads(p.stdout)
        check("what was stopped for long counts for nothing", told["parts"] >= 2 and told["seconds"] < taken[-1]["monotonic_seconds"] - taken[0]["monotonic_seconds"] - 5, f"{told['parts']} {told['seconds']} {[s['interval_seconds'] for s in taken]}")
        job.end()
    done()


if __name__ == "__main__": main()
