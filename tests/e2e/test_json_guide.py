#!/usr/bin/env python3
"""Every jq line of docs/json.md, on the demo's snapshots. usage: test_json_guide.py GUIDE RECORDING"""
import re, shutil, subprocess, sys

from tap import check, done, skip

GUIDE, RECORDING = sys.argv[1:3]

if not shutil.which("jq"): skip("the lines of the JSON guide", "no jq here")
else:
    lines = re.findall(r"^    gputaskman (?:--json|record .*?) \| jq (-\w+) '(.*)'$", open(GUIDE, encoding="utf-8").read(), re.M)
    check("the guide has its ten lines", len(lines) == 10, len(lines))
    for flags, query in lines:
        with open(RECORDING, "rb") as recording:
            said = subprocess.run(["jq", flags, query], stdin=recording, capture_output=True, text=True, timeout=60)
        check(f"answers something: {query[:60]}", said.returncode == 0 and len(set(said.stdout.split("\n"))) > 1, said.stderr + said.stdout[:300])
done()
