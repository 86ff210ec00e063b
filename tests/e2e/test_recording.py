#!/usr/bin/env python3
"""Recordings from outside: compressed, cut short, in parts, summed up, compared. usage: test_recording.py PROGRAM FAKE_NVML CASES"""
import json, os, signal, subprocess, sys, tempfile, time

from tap import check, done, environment, run, skip, snapshots, wait_for

PROGRAM, FAKE_NVML, CASES = map(os.path.abspath, sys.argv[1:4])
CASE = f"{CASES}/drm/amd-rdna3-private-client/frame0"
TIMES = ",".join(str(t) for t in range(100, 900))
RECORDED = {"GPUTASKMAN_SYSROOT": f"{CASE}:{CASE}", "GPUTASKMAN_SAMPLE_TIMES": TIMES, "GPUTASKMAN_NVML": "/nonexistent"}


def record(*argv, **more): return run([PROGRAM, "record", *argv], **(RECORDED | more))


def summary(path):
    rc, out, err = run([PROGRAM, "summary", "--json", path])
    return (json.loads(out) if rc == 0 else {}), rc, err


def samples(path): return summary(path)[0].get("samples", 0)


def compressed():
    with tempfile.TemporaryDirectory() as tmp:
        rc, out, err = run(["sh", "-c", f"cd {tmp} && '{PROGRAM}' record --count 3"], **RECORDED)
        names = os.listdir(tmp)
        check("a recording is compressed unless its name says otherwise", rc == 0 and len(names) == 1 and names[0].endswith(".jsonl.zst") and samples(f"{tmp}/{names[0]}") == 3, f"{rc} {names} {err}")
        path = f"{tmp}/r.jsonl.zst"
        for wanted in (70, 140):
            rc, out, err = record("--count", "70", "-o", path)
            check("record appends to it", rc == 0 and not out and not err and samples(path) == wanted, f"{rc} {err} {samples(path)}")
        check("it is much smaller than its text, and private", os.path.getsize(path) < 140 * 1000 and os.stat(path).st_mode & 0o777 == 0o600)
        rc, out, err = record("--count", "1", "-o", "-")
        check("standard output is never compressed", rc == 0 and len(snapshots(out)) == 1)
        whole = open(path, "rb").read()
        for cut in (1, 2, 3, 40, 90, 140):
            open(path, "wb").write(whole[:-cut])
            before, rc, err = summary(path)
            check(f"cut by {cut}: read up to the torn line", rc == 0 and 130 <= before["samples"] <= 140, f"{rc} {err} {before.get('samples')}")
            rc, out, err = record("--count", "1", "-o", path)
            check(f"cut by {cut}: mended and appended to", rc == 0 and samples(path) == before["samples"] + 1 and err.count("\n") <= 1, f"{rc} {err}")
            rc, out, err = run([PROGRAM, "summary", path])
            check(f"cut by {cut}: whole again, without a warning", rc == 0 and not err, err)
        open(f"{tmp}/other.zst", "wb").write(b"something else")
        rc, out, err = record("--count", "1", "-o", f"{tmp}/other.zst")
        check("what is no recording is left as it is", rc == 1 and "-o" in err and open(f"{tmp}/other.zst", "rb").read() == b"something else", f"{rc} {err}")


def killed():
    """kill -9 in the middle: every line that was told is there."""
    for name in ("r.jsonl.zst", "r.jsonl"):
        with tempfile.TemporaryDirectory() as tmp:
            path, kept = f"{tmp}/{name}", 0
            for _ in range(3):
                p = subprocess.Popen([PROGRAM, "record", "-i", "0.1", "-o", path], env=environment(**(RECORDED | {"GPUTASKMAN_SAMPLE_TIMES": None})), stderr=subprocess.DEVNULL)
                grown = wait_for(lambda: os.path.exists(path) and samples(path) >= kept + 3, 60)
                if grown and name.endswith(".zst"):
                    rc, out, err = record("--count", "1", "-o", path)
                    check("a second recorder into a compressed file is refused", rc == 1 and "another program" in err, f"{rc} {err}")
                p.kill(); p.wait()
                got, rc, err = summary(path)
                check(f"{name}: killed, and whole", grown and rc == 0 and got["samples"] >= kept + 3, f"{rc} {err}")
                kept = got.get("samples", 0)


def parts():
    for name, second in (("r.jsonl.zst", "r.2.jsonl.zst"), ("r.jsonl", "r.2.jsonl"), ("r", "r.2")):
        with tempfile.TemporaryDirectory() as tmp:
            limit = 5000 if name.endswith("zst") else 40000
            for wanted in (200, 300):
                rc, out, err = record("--count", str(wanted if wanted == 200 else 100), "--max-size", str(limit), "-o", f"{tmp}/{name}")
                files = sorted(os.listdir(tmp))
                sizes = [os.path.getsize(f"{tmp}/{f}") for f in files]
                check(f"{name}: goes on in parts, none too large", rc == 0 and second in files and len(files) > 2 and max(sizes) <= limit, f"{rc} {err} {files} {sizes}")
                everything, rc, err = run([PROGRAM, "summary", "--json", *(f"{tmp}/{f}" for f in files)])
                check(f"{name}: no sample is lost between them", json.loads(rc)["samples"] == wanted, f"{everything} {err}")
                if wanted == 200:
                    told, rc, err = summary(f"{tmp}/{name}")
                    check(f"{name}: its name stands for all its parts", told["samples"] == 200 and told["parts"] == 1 and not err and told["file"].startswith(f"{tmp}/{name} to {tmp}/"), f"{told.get('file')} {told.get('samples')} {err}")
                    check(f"{name}: that of a part for it and those behind it", 0 < samples(f"{tmp}/{second}") < 200, samples(f"{tmp}/{second}"))
                    rc, out, err = run([PROGRAM, "diff", "--json", f"{tmp}/{name}@1", f"{tmp}/{name}@200"])
                    whole = json.loads(out) if rc == 0 else {}
                    rc, out, err = run([PROGRAM, "diff", "--json", f"{tmp}/{name}@1", f"{tmp}/{name}@last"])
                    check(f"{name}: lines are counted through them", whole.get("seconds") == 199 and rc == 0 and json.loads(out)["seconds"] == 199, f"{whole.get('seconds')} {rc} {err}")
                    rc, out, err = run([PROGRAM, "diff", f"{tmp}/{name}@1", f"{tmp}/{name}@201"])
                    check(f"{name}: and end", rc == 2 and "no snapshot on line 201" in err, f"{rc} {err}")
    with tempfile.TemporaryDirectory() as tmp:
        record("--count", "3", "-o", f"{tmp}/r.jsonl"), record("--count", "4", "-o", f"{tmp}/r.2.jsonl")
        told, rc, err = summary(f"{tmp}/r.jsonl")
        check("a name alone makes no part", told["samples"] == 3 and "r.2.jsonl does not go on where" in err and err.count("\n") == 1, f"{told.get('samples')} {err}")
        told, rc, err = summary(f"{tmp}/r.2.jsonl")
        check("nor the other way round", told["samples"] == 4 and not err, err)
        os.mkfifo(f"{tmp}/r.3.jsonl")
        check("nor is a pipe waited for", samples(f"{tmp}/r.2.jsonl") == 4)
    with tempfile.TemporaryDirectory() as tmp:
        rc, out, err = record("--count", "2", "--max-size", "4K", "-o", f"{tmp}/r.jsonl")
        check("a line larger than a part has one of its own", rc == 0 and sorted(os.listdir(tmp)) == ["r.2.jsonl", "r.jsonl"], f"{rc} {err} {os.listdir(tmp)}")
    for size in ("1", "x", "100X", "", "-1"):
        rc, out, err = record("--count", "1", "--max-size", size, "-o", "/dev/null")
        check(f"--max-size '{size}' is wrong usage", rc == 2 and err.count("\n") == 1, f"{rc} {err}")


def full_disk():
    """A file that may grow no more (ulimit -f, in blocks of 512 bytes)."""
    for name, blocks in (("r.jsonl.zst", 8), ("r.jsonl", 40)):
        with tempfile.TemporaryDirectory() as tmp:
            rc, out, err = run(["sh", "-c", f"ulimit -f {blocks}; exec '{PROGRAM}' record --count 500 -o '{tmp}/{name}'"], **RECORDED)
            got, status, problem = summary(f"{tmp}/{name}")
            check(f"{name}: a full disk is told, and what was written is whole", rc == 1 and "written before is whole" in err and status == 0 and not problem and 0 < got["samples"] < 500, f"{rc} {err} {status} {problem}")
            before = got.get("samples", 0)
            rc, out, err = record("--count", "2", "-o", f"{tmp}/{name}")
            check(f"{name}: with room again it goes on", rc == 0 and samples(f"{tmp}/{name}") == before + 2, f"{rc} {err}")


def power_loss():
    """The machine lost its power: the file is longer than what came to the disk, and ends in zeros."""
    for name in ("r.jsonl", "r.jsonl.zst"):
        with tempfile.TemporaryDirectory() as tmp:
            path = f"{tmp}/{name}"
            record("--count", "5", "-o", path)
            whole = open(path, "rb").read()
            for cut, zeros, least in ((0, 100, 5), (0, 300000, 5), (1, 20, 4), (9, 5000, 4), (40, 5000, 3), (90, 140000, 1)):
                open(path, "wb").write(whole[:len(whole) - cut] + bytes(zeros))
                told, rc, err = summary(path)
                check(f"{name}: cut by {cut}, {zeros} zeros: what was written is read", rc == 0 and told["samples"] >= least and "torn" in err, f"{rc} {told.get('samples')} {err}")
                rc, out, err = record("--count", "2", "-o", path)
                again, status, problem = summary(path)
                check(f"{name}: cut by {cut}, {zeros} zeros: and gone on with", rc == 0 and "cut off" in err and status == 0 and not problem and again["samples"] >= least + 2, f"{rc} {err} {again.get('samples')} {problem}")
            for text in (bytes(5000), b"notes" + bytes(100), whole[:20] + bytes(100) + whole[20:]):
                open(path, "wb").write(text)
                rc, out, err = record("--count", "1", "-o", path)
                check(f"{name}: other zeros are left as they are", (rc == 1 and open(path, "rb").read() == text) or text.startswith(whole[:20]), f"{rc} {err}")


def tampered():
    """What another program does to the file is told, and ends the recording: nothing is written into nowhere."""
    def cut(path, size): open(path, "r+b").truncate(size)
    for name, do, words, rest in (("r.jsonl", os.remove, "was removed", None), ("r.jsonl.zst", os.remove, "was removed", None), ("r.jsonl", lambda p: cut(p, 1000), "was cut short", 1),
                                  ("r.jsonl.zst", lambda p: cut(p, 1000), "was cut short", 1), ("r.jsonl", lambda p: cut(p, 0), "", 6)):
        with tempfile.TemporaryDirectory() as tmp:
            path = f"{tmp}/{name}"
            p = subprocess.Popen([PROGRAM, "record", "-i", "0.1", "-o", path], env=environment(**(RECORDED | {"GPUTASKMAN_SAMPLE_TIMES": None})), stderr=subprocess.PIPE, text=True)
            wait_for(lambda: os.path.exists(path) and samples(path) >= 3, 60)
            do(path)
            if not words:
                wait_for(lambda: samples(path) >= 3, 60)
                p.send_signal(signal.SIGINT)
            err = p.communicate(timeout=60)[1]
            check(f"{name}: {words or 'emptied, and goes on'}", p.returncode == (1 if words else 0) and words in err and err.count("\n") == bool(words), f"{p.returncode} {err}")
            if rest:
                rc, out, err = record("--count", "1", "-o", path)
                check(f"{name}: and can be gone on with", rc == 0 and samples(path) >= 1, f"{rc} {err}")


def refused():
    with tempfile.TemporaryDirectory() as tmp:
        rc, out, err = record("--count", "3", "-o", f"{tmp}/good.jsonl")
        lines = open(f"{tmp}/good.jsonl").read().splitlines()
        def case(what, text, *words):
            path = f"{tmp}/r.jsonl"
            open(path, "w").write(text)
            rc, out, err = run([PROGRAM, "summary", path])
            check(f"{what} is refused with its place", rc == 1 and not out and err.count("\n") == 1 and all(w in err for w in words), f"{rc} {err}")
        case("a line that is no JSON", "\n".join([lines[0], "{\"schema\":", lines[1], ""]), "r.jsonl:2:")
        case("a wrong type", "\n".join([lines[0], lines[1].replace('"vram_used_bytes":', '"vram_used_bytes":"x",'), ""]), "r.jsonl:2:")
        case("another program's JSON", '{"a":1}\n', "r.jsonl:1:1:", "schema")
        case("an empty file", "", "no snapshot")
        more = [line.replace('"schema":"gputaskman/1"', '"schema":"gputaskman/1.3","novelty":{"x":[1]}').replace('"class":"', '"class":"new_') for line in lines]
        open(f"{tmp}/newer.jsonl", "w").write("\n".join(more) + "\n")
        check("a newer minor version with unknown fields and words is read", samples(f"{tmp}/newer.jsonl") == 3)
        pretty = "\n".join(json.dumps(json.loads(line), sort_keys=True) for line in lines)
        open(f"{tmp}/other.jsonl", "w").write(pretty + "\n")
        a, b = summary(f"{tmp}/good.jsonl")[0], summary(f"{tmp}/other.jsonl")[0]
        check("keys in another order, with blanks, give the same summary", {k: v for k, v in a.items() if k != "file"} == {k: v for k, v in b.items() if k != "file"})
        open(f"{tmp}/torn.jsonl", "w").write("\n".join(lines)[:-5])
        rc, out, err = run([PROGRAM, "summary", f"{tmp}/torn.jsonl"])
        check("a torn last line is skipped with a warning", rc == 0 and "2 samples" in out and "torn.jsonl:3: the last line is torn" in err, f"{rc} {err}")
        rc, out, err = run([PROGRAM, "summary", f"{tmp}/nothing"])
        check("a file that is not there", rc == 1 and "No such file" in err, err)
        rc, out, err = run([PROGRAM, "summary"])
        check("summary without a file is wrong usage", rc == 2, err)
        rc, out, err = run([PROGRAM, "summary", f"{tmp}/good.jsonl", "-g", "nonsense"])
        check("summary -g that matches nothing is wrong usage", rc == 2 and not out and "nonsense" in err, err)
        rc, out, err = run([PROGRAM, "summary", "--json", f"{tmp}/good.jsonl", f"{tmp}/torn.jsonl"])
        check("several files are summed up together", rc == 0 and json.loads(out)["samples"] == 5, f"{rc} {err}")


def diff(*argv): return run([PROGRAM, "diff", *argv])


def differences():
    with tempfile.TemporaryDirectory() as tmp:
        path, packed = f"{tmp}/r.jsonl", f"{tmp}/p@ck.jsonl.zst"
        record("--count", "3", "-o", path), record("--count", "3", "-o", packed)
        lines = open(path).read().splitlines()
        for argv in ([f"{path}@1", f"{path}@3"], [f"{packed}@1", f"{packed}@last"], [f"{path}@2", f"{packed}@2"]):
            rc, out, err = diff("--exit-code", *argv)
            check(f"{' '.join(os.path.basename(a) for a in argv)}: nothing differs", rc == 0 and "No memory, process or model differs" in out and not err, f"{rc} {out} {err}")
        changed = json.loads(lines[2])
        gone = changed["processes"].pop(0)
        use = changed["processes"][0]["gpus"][0] if changed["processes"] else None
        changed["adapters"][0]["memory"]["vram_used_bytes"] += 1 << 30
        new = dict(gone, id=gone["id"] + "9", name="stranger\x1b[31m")
        changed["processes"].append(new)
        open(f"{tmp}/after.json", "w").write(json.dumps(changed, indent=2))
        rc, out, err = diff(f"{path}@last", f"{tmp}/after.json")
        check("a snapshot may take several lines; without --exit-code a difference is no failure", rc == 0 and "+1.0 GiB" in out and "New" in out and "Gone" in out and not err, f"{rc} {out} {err}")
        check("a reused pid is another process", out.index("New") < out.index("stranger") < out.index("Gone") < out.index(gone["name"], out.index("Gone")), out)
        check("nothing from outside reaches the terminal as it is", "\x1b" not in out)
        rc, out, err = diff("--exit-code", "--json", f"{path}@last", f"{tmp}/after.json")
        told = json.loads(out)
        check("--json and --exit-code", rc == 1 and told["schema"] == "gputaskman-diff/1" and told["differs"] and {p["id"]: p["state"] for p in told["processes"]}[gone["id"]] == "gone", f"{rc} {err}")
        memory = told["adapters"][0]["memory"]["vram_used_bytes"]
        check("JSON tells both sides and the change", memory["change"] == 1 << 30 and memory["after"] - memory["before"] == 1 << 30, memory)
        other = json.loads(lines[2])
        other["adapters"][0]["pci_ids"]["device"] = "ffff"
        open(f"{tmp}/other.json", "w").write(json.dumps(other))
        rc, out, err = diff(f"{path}@1", f"{tmp}/other.json")
        check("another card in the same slot is refused", rc == 2 and not out and "different adapters" in err and err.count("\n") == 1, f"{rc} {err}")
        times = [json.loads(line)["taken_at"] for line in lines]
        rc, out, err = diff("--json", f"{path}@{times[1]}", f"{path}@2099-01-01T00:00:00Z")
        check("FILE@TIME", rc == 0 and [json.loads(out)[k]["taken_at"] for k in ("before", "after")] == times[1:], f"{rc} {err}")
        for argv, words in (([path, path], "several snapshots"), ([f"{path}@9", f"{path}@1"], "line 9"), ([f"{path}@x", f"{path}@1"], "behind the @"), ([f"{path}@0", f"{path}@1"], "behind the @"),
                            ([f"{path}@2001-01-01T00:00:00Z", f"{path}@1"], "as early"), ([f"{tmp}/nothing", path], "No such file"), ([path], "two snapshots"), ([], "two snapshots"), (["-", "-"], "only one"), ([f"{path}@1", f"{path}@2", "-g", "nonsense"], "no GPU")):
            rc, out, err = diff(*argv)
            check(f"diff {' '.join(os.path.basename(a) for a in argv)}: trouble, one line", rc == 2 and not out and words in err and err.count("\n") == 1, f"{rc} {out} {err}")
        open(f"{tmp}/bad.json", "w").write('{\n  "schema": "gputaskman/1",\n  "taken_at": 5\n}\n')
        rc, out, err = diff(f"{path}@1", f"{tmp}/bad.json")
        check("what is malformed is refused with its place", rc == 2 and "bad.json:3:15: taken_at" in err, err)
        p = subprocess.run([PROGRAM, "diff", "-", f"{path}@1"], input=lines[0], text=True, capture_output=True, env=environment())
        check("- is standard input", p.returncode == 0 and "No memory" in p.stdout, p.stderr)
        with open("/dev/full", "w") as full: p = subprocess.run([PROGRAM, "diff", f"{path}@1", f"{path}@2"], stdout=full, stderr=subprocess.PIPE, text=True, env=environment())
        check("a full disk is trouble", p.returncode == 2 and "No space" in p.stderr, f"{p.returncode} {p.stderr}")


def lines_of(path): return [json.loads(line) for line in open(path)]


def commands():
    """record -- COMMAND: its streams and its status are its own, signals reach it once, our words go to standard error."""
    with tempfile.TemporaryDirectory() as tmp:
        env = RECORDED | {"GPUTASKMAN_SAMPLE_TIMES": None}
        def with_command(*argv, before=(), **more): return run([PROGRAM, "record", "-i", "0.2", "-o", f"{tmp}/r.jsonl", *before, "--", *argv], **(env | more))
        rc, out, err = with_command("sh", "-c", "echo out; echo err >&2; exit 7")
        check("output and status are the command's", rc == 7 and out == "out\n" and "err\n" in err and "Before the command" in err, f"{rc} {out} {err}")
        check("before, meanwhile and after are recorded", samples(f"{tmp}/r.jsonl") >= 2)
        p = subprocess.run([PROGRAM, "record", "-o", f"{tmp}/in.jsonl", "--", "cat"], input="words", text=True, capture_output=True, env=environment(**env))
        check("input is the command's", p.returncode == 0 and p.stdout == "words", p.stdout)
        for argv, status in ((["/nonexistent/x"], 127), (["nonexistent-command"], 127), (["/dev/null"], 126), (["/etc"], 126), (["sh", "-c", "kill -9 $$"], 137), (["sh", "-c", "kill -TERM $$"], 143), (["true"], 0), (["sh", "-c", "exit 255"], 255), (["sh", "-c", "kill -PIPE $$"], 141)):
            rc, out, err = with_command(*argv)
            check(f"{' '.join(argv)}: status {status}", rc == status and not out, f"{rc} {err}")
        for name, text, status in (("script", "echo \"$0 $1\"; exit 6\n", 6), ("garbage", "\x7fELF\0\0\0", 126), ("lost", "#!/nonexistent/sh\n", 127)):
            open(f"{tmp}/{name}", "w").write(text), os.chmod(f"{tmp}/{name}", 0o755)
            for word in (f"{tmp}/{name}", name):
                rc, out, err = with_command(word, "a b", PATH=f"/nonexistent:{tmp}:{os.environ['PATH']}")
                check(f"{word if word == name else 'by its path, ' + name}: status {status}", rc == status and out == (f"{tmp}/script a b\n" if status == 6 else ""), f"{rc} {out} {err[:200]}")
        for argv in (["record", "--"], ["record", "-o", "-", "--", "true"], ["record", "word", "--", "true"], ["record", "word"]):
            rc, out, err = run([PROGRAM, *argv], **env)
            check(f"{' '.join(argv)}: wrong usage", rc == 2 and err.count("\n") == 1, f"{rc} {err}")
        rc, out, err = with_command("sh", "-c", "sleep 1; exit 3", before=("--count", "2"))
        check("--count ends the recording, not the command", rc == 3, f"{rc} {err}")
        rc, out, err = run(["sh", "-c", f"exec '{PROGRAM}' record -i 0.1 -o /dev/full -- sh -c 'sleep 0.5; exit 4'"], **env)
        check("a full disk ends the recording, not the command", rc == 4 and err.count("No space") == 1, f"{rc} {err}")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
            name = number.name[3:]
            p = subprocess.Popen([PROGRAM, "record", "-o", f"{tmp}/s.jsonl", "--", "sh", "-c", f"trap 'echo {name}' {name}; echo up; while :; do sleep 0.1; [ -e {tmp}/end ] && exit 9; done"], stdout=open(f"{tmp}/out", "w"), stderr=subprocess.DEVNULL, env=environment(**env))
            wait_for(lambda: "up" in open(f"{tmp}/out").read(), 30)
            p.send_signal(number)
            wait_for(lambda: name in open(f"{tmp}/out").read(), 30)
            open(f"{tmp}/end", "w").close()
            rc = p.wait(60)
            os.remove(f"{tmp}/end")
            check(f"SIG{name} reaches the command, once, and nothing else ends", rc == 9 and open(f"{tmp}/out").read() == f"up\n{name}\n", f"{rc} {open(f'{tmp}/out').read()}")


def xids():
    """An Xid error, from NVML's event set to the summary; what happened before is not told, and one picture does not watch."""
    with tempfile.TemporaryDirectory() as tmp:
        open(f"{tmp}/scenario", "w").write("driver 550.54.14\ndevice 0\n name Test\n uuid GPU-0\n pci 00000000:01:00.0\n mem_total 8GiB\n mem_used 1GiB\n power_limit_mw 9000\n"
                                           "device 1\n name Old\n uuid GPU-1\n pci 00000000:02:00.0\n mem_total 8GiB\n mem_used 1GiB\n no_events 1\n"
                                           "xid 0 31 at=-5\nxid 0 13 at=2.5\nxid 0 13 at=2.6\nxid 0 13 at=3.5\nxid 0 79 at=4.5\nlost 0 from=5\n")
        times = ",".join(map(str, range(8)))
        env = {"GPUTASKMAN_SYSROOT": f"{CASES}/nvml/gpu_lost_while_running/root", "GPUTASKMAN_SAMPLE_TIMES": times, "GPUTASKMAN_NVML": FAKE_NVML, "GPUTASKMAN_SAMPLE_FILE": f"{tmp}/step",
               "FAKE_NVML_SCENARIO": f"{tmp}/scenario", "FAKE_NVML_TIMES": times, "FAKE_NVML_STEP_FILE": f"{tmp}/step"}
        rc, out, err = run([PROGRAM, "record", "--count", "7", "-o", f"{tmp}/r.jsonl"], **env, FAKE_NVML_TRACE=f"{tmp}/trace")
        taken = lines_of(f"{tmp}/r.jsonl")
        check("an Xid is recorded from the sample on in which it came, a lost GPU keeps it", rc == 0 and [s["adapters"][0]["errors"]["xid_last"] for s in taken] == [0, 0, 0, 13, 13, 79, 79], f"{rc} {err} {[s['adapters'][0]['errors'] for s in taken]}")
        check("a GPU without events says so", all(s["adapters"][1]["errors"]["xid_last"] is None and s["adapters"][1]["unavailable"]["errors.xid_last"] == "not_supported" for s in taken), taken[0]["adapters"][1]["unavailable"])
        told = [(n, e["text"]) for n, s in enumerate(taken) for e in s["events"] if e["kind"] == "xid"]
        check("it is an event", told == [(3, "GPU 0 (Test) reported 2 Xid errors, the last is Xid 13"), (4, "GPU 0 (Test) reported Xid 13"), (5, "GPU 0 (Test) reported Xid 79")], told)
        calls = [line.split()[1] for line in open(f"{tmp}/trace")]
        check("a recording asks for each figure as often as a screen does", calls.count("nvmlDeviceGetEnforcedPowerLimit") == 2 and calls.count("nvmlDeviceGetMemoryInfo_v2") >= 7, calls)
        check("the summary counts it", summary(f"{tmp}/r.jsonl")[0]["events"]["kinds"].get("xid") == 3)
        rc, out, err = run([PROGRAM, "--json"], **env)
        one = json.loads(out)["adapters"][0]
        check("one picture does not watch", one["errors"]["xid_last"] is None, one)


TREE = """
import os, sys, time
out = sys.argv[1]
def note(name): open(out, "a").write(f"{name} {os.getpid()}\\n")
note("root")
if os.fork() == 0:
    note("child"); time.sleep(1000)
if os.fork() == 0:
    os.setsid()
    if os.fork(): os._exit(0) # seen or not, and a zombie until the root ends
    note("daemon"); time.sleep(1000)
while open(out).read().count("\\n") < 3: time.sleep(0.02)
until = time.monotonic() + 3
while time.monotonic() < until and not os.path.exists(out + ".seen"): time.sleep(0.05)
"""


def tree():
    """The command's tree is marked, a daemon that has left it too; what it left behind is told. A fake NVML names every pid
    that the command may get."""
    with tempfile.TemporaryDirectory() as tmp:
        bystander = subprocess.Popen(["sleep", "1000"])
        first = bystander.pid
        text = "driver 550.54.14\ndevice 0\n name Test\n uuid GPU-0\n pci 00000000:01:00.0\n mem_total 64GiB\n mem_used 60GiB\n power 100\n"
        open(f"{tmp}/scenario", "w").write(text + "".join(f"proc 0 pid={pid} type=C mem=16MiB\n" for pid in range(first, first + 1000)))
        open(f"{tmp}/tree.py", "w").write(TREE)
        env = {"LD_LIBRARY_PATH": os.path.dirname(FAKE_NVML), "FAKE_NVML_SCENARIO": f"{tmp}/scenario"}
        with open(f"{tmp}/words", "w") as words:
            rc = subprocess.run([PROGRAM, "record", "-i", "0.3", "-o", f"{tmp}/r.jsonl", "--", sys.executable, f"{tmp}/tree.py", f"{tmp}/pids"],
                                timeout=120, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=words, env=environment(**env)).returncode
        err = open(f"{tmp}/words").read()
        pids = {name: int(pid) for name, pid in (line.split() for line in open(f"{tmp}/pids"))}
        try:
            if max(pids.values()) >= first + 1000:
                skip("the command's tree", "the machine gave out too many process ids meanwhile")
                return
            marked = [{p["pid"] for p in s["processes"] if p["tracked"] and p["gpus"]} for s in lines_of(f"{tmp}/r.jsonl")]
            seen = set().union(*marked)
            most = max(len(pids_of) for pids_of in marked) # the daemon's parent may have been seen, too
            check("the command's tree is marked, and nobody else", rc == 0 and seen >= set(pids.values()) and len(seen) <= 4 and first not in seen, f"{rc} {pids} {seen} {err[-500:]}")
            check("a daemon too, and what stayed behind is told", {pids["child"], pids["daemon"]} <= marked[-1] and pids["root"] not in marked[-1] and f"{pids['daemon']}" in err, marked[-1])
            told = summary(f"{tmp}/r.jsonl")[0]
            adapter = told["adapters"][0]
            check("the tree's peak is the sum of its processes", adapter["tracked_vram_bytes"]["peak"] == most * 16 << 20 and adapter["tracked_complete"], (marked, adapter["tracked_vram_bytes"]))
            check("the text says so", "the command" in err and f"{most * 16}.0 MiB" in err, err[:1500])
        finally:
            for pid in (*pids.values(), first):
                try: os.kill(pid, signal.SIGKILL)
                except OSError: pass
            bystander.wait()


def main():
    compressed()
    killed()
    parts()
    full_disk()
    power_loss()
    tampered()
    refused()
    differences()
    commands()
    xids()
    tree()
    done()


if __name__ == "__main__": main()
