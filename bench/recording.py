#!/usr/bin/env python3
"""How fast a recording is read, and in how much memory. usage: recording.py PROGRAM DEMO.jsonl [MEGABYTES [PROCESSES]]

Writes a recording of that size (with zstd, its compressed twin; and one as another program would lay it out), sums them up, and prints MB/s of text, the share of a
bare pass over the same bytes (cat to /dev/null), and the largest resident size. Needs the zstd program for the twin.
"""
import copy, json, os, resource, shutil, subprocess, sys, tempfile, time


def lines(demo, processes):
    """The demonstration's frames, one after the other for ever: an interval apart, with more processes."""
    frames = [json.loads(line) for line in open(demo) if line.strip()]
    second = 5000
    while True:
        for frame in frames:
            second += 1
            frame = dict(frame, monotonic_seconds=second, interval_seconds=1)
            some = frame["processes"][0]
            for k in range(processes - len(frame["processes"])):
                other = dict(some, id=f"local/{20000 + k}/77", pid=20000 + k, label=str(20000 + k))
                frame["processes"] = frame["processes"] + [other]
            hours, rest = divmod(second, 3600)
            frame["taken_at"] = f"2027-01-{1 + hours // 24:02}T{hours % 24:02}:{rest // 60:02}:{rest % 60:02}.000000Z" if hours < 24 * 28 else frame["taken_at"]
            yield ordered(frame)


def ordered(frame):
    """Times stand where the writer puts them."""
    keys = list(frame)
    keys.remove("interval_seconds")
    keys.insert(keys.index("monotonic_seconds") + 1, "interval_seconds")
    return json.dumps({key: frame[key] for key in keys}, separators=(",", ":"), ensure_ascii=False) + "\n"


def measure(argv):
    began = time.monotonic()
    p = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(p.pid, 0)
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, status


def main():
    program, demo = sys.argv[1:3]
    megabytes = float(sys.argv[3]) if len(sys.argv) > 3 else 100
    processes = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    with tempfile.TemporaryDirectory() as folder:
        path, size, count = f"{folder}/r.jsonl", 0, 0
        with open(path, "w") as out:
            for line in lines(demo, processes):
                size += out.write(line)
                count += 1
                if size >= megabytes * 1e6: break
        size = os.path.getsize(path)
        print(f"{size / 1e6:.0f} MB, {count} lines of {size / count / 1e3:.1f} kB")
        bare = measure(["cat", path])[1]
        other = f"{folder}/other.jsonl"
        with open(other, "w") as out:
            for line in open(path): out.write(json.dumps(json.loads(line), sort_keys=True) + "\n")
        paths = [path, other]
        if shutil.which("zstd"):
            subprocess.run(["zstd", "-q", "-k", path], check=True)
            paths.append(path + ".zst")
        for name in paths:
            size = os.path.getsize(other if name == other else path)
            wall, cpu, rss, status = measure([program, "summary", name])
            assert status == 0, status
            print(f"summary {os.path.basename(name)}: {size / 1e6 / wall:.0f} MB/s, {cpu / max(bare, 0.001):.1f} x cat's CPU, {rss:.1f} MiB resident; 1 GB in {wall * 1e9 / size:.1f} s")


if __name__ == "__main__": main()
