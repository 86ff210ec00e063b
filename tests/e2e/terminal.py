"""A shell in a tmux of its own, in which the program runs as a user would start it. Standard library only."""
import os, re, subprocess, time

from tap import environment, wait_for


class Terminal:
    def __init__(self, program, width, height, *arguments, **more):
        self.socket = f"tui{os.getpid()}-{width}x{height}-{time.monotonic_ns()}"
        self.tmux("new-session", "-d", "-x", str(width), "-y", str(height), "/bin/sh", env=environment(**({"PS1": "$ "} | more)))
        self.tmux("set", "-g", "status", "off")
        self.tmux("resize-window", "-x", str(width), "-y", str(height))
        # dash has a prompt of its own for root, whatever PS1 says.
        wait_for(lambda: re.search(r"[$#]", self.text()))
        self.before = self.modes()
        # tmux sets TERM itself: another one is given on the command line.
        prefix = [f"TERM={more['TERM']}"] if "TERM" in more else []
        self.type(" ".join([*prefix, program, *arguments]) + "; echo status=$?")
        self.keys("Enter")

    def tmux(self, *arguments, env=None):
        # -u, and -f /dev/null: neither the locale nor a person's settings decide what is seen.
        return subprocess.run(["tmux", "-u", "-L", self.socket, "-f", "/dev/null", *arguments], capture_output=True, text=True, env=env).stdout

    def type(self, words): self.tmux("send-keys", "-l", words)
    def keys(self, *keys): self.tmux("send-keys", *keys)
    def resize(self, width, height): self.tmux("resize-window", "-x", str(width), "-y", str(height))
    def text(self): return self.tmux("capture-pane", "-p")
    def lines(self): return self.text().split("\n")[:-1]
    def wait(self, what, seconds=8.0): return bool(wait_for(lambda: re.search(what, self.text()), seconds))
    def tty(self): return self.tmux("display", "-p", "#{pane_tty}").strip()
    def modes(self): return subprocess.run(["stty", "-F", self.tty(), "-a"], capture_output=True, text=True).stdout.split("min", 1)[-1]
    def alternate(self): return self.tmux("display", "-p", "#{alternate_on}").strip() == "1"

    def program(self):
        """The pid of the running program."""
        shell = int(self.tmux("display", "-p", "#{pane_pid}"))
        try: found = open(f"/proc/{shell}/task/{shell}/children").read().split()
        except OSError: found = []
        return int(found[0]) if found else None

    def is_clean(self): return not self.alternate() and wait_for(lambda: self.modes() == self.before, 2)
    def close(self): self.tmux("kill-server")
