"""A few lines for end-to-end tests: checks that print TAP, and the program at hand. Standard library only."""
import json, os, subprocess, sys, time

count = failed = 0


def check(what, ok, detail=""):
    global count, failed
    count += 1
    if not ok: failed += 1
    print(f"{'ok' if ok else 'not ok'} {count} - {what}" + ("" if ok or not detail else f"\n# {str(detail)[:600]}"), flush=True)
    return ok


def skip(what, why):
    global count
    count += 1
    print(f"ok {count} - {what} # SKIP {why}", flush=True)


def done():
    print(f"1..{count}")
    sys.exit(1 if failed else 0)


def environment(**more):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GPUTASKMAN_", "FAKE_NVML_", "XDG_"))}
    leaks = f"suppressions={os.path.dirname(os.path.abspath(__file__))}/leaks.supp:print_suppressions=0"
    return clean | {"HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "LSAN_OPTIONS": leaks} | {k: v for k, v in more.items() if v is not None}


def run(argv, timeout=60, **more):
    p = subprocess.run(argv, env=environment(**more), stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
    return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")


def snapshots(out): return [json.loads(line) for line in out.splitlines() if line.strip()]


def wait_for(what, seconds=5.0, step=0.05):
    """The first true answer of `what` within some seconds, else its last."""
    end = time.monotonic() + seconds
    while True:
        answer = what()
        if answer or time.monotonic() > end: return answer
        time.sleep(step)


def children(pid):
    try: return [int(p) for p in open(f"/proc/{pid}/task/{pid}/children").read().split()]
    except OSError: return []


def helpers(pid):
    """The helper processes of a running gputaskman; any of its threads may have started them."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit(): continue
        try:
            if int(open(f"/proc/{entry}/stat").read().rsplit(")", 1)[1].split()[1]) == pid and b"--helper" in open(f"/proc/{entry}/cmdline", "rb").read(): found.append(int(entry))
        except (OSError, IndexError): pass
    return found
