"""What a real llama.cpp said about its last load, and how an inspected model compares with it."""
import re

from tap import check

MIB = 1 << 20
LINE = re.compile(r"(\S+) +(model|KV|RS|compute|output) buffer size = +([0-9.]+) MiB")
FIELDS = {"model": "weights_bytes", "KV": "kv_cache_bytes", "RS": "kv_cache_bytes", "compute": "compute_bytes"}


def last_load(text):
    """{field: (bytes, how far the printed roundings may be off)} of system memory: every run here is on the CPU."""
    sums = {}
    for buffer, kind, mib in LINE.findall(text[text.rfind("loaded meta data with"):]):
        assert buffer.startswith("CPU"), buffer
        if kind not in FIELDS: continue
        value, off = sums.get(FIELDS[kind], (0, 1))
        sums[FIELDS[kind]] = value + float(mib) * MIB, off + 0.00501 * MIB
    return sums


def host(model):
    return next((d for d in model["devices"] if d["device"] == "host"), {"estimated": {}, "source": {}})


def compare(name, model, logged, fields=("weights_bytes", "kv_cache_bytes")):
    """The shown bytes, and the estimate that a report may have replaced, equal the logged ones to their rounding."""
    device = host(model)
    check(f"{name}: everything is in system memory", [d["device"] for d in model["devices"]] == ["host"], model["devices"])
    for field in fields:
        value, off = logged[field]
        shown = device.get(field)
        estimate = device["estimated"].get(field, shown)
        check(f"{name}: {field} as logged", shown is not None and abs(shown - value) <= off, f"want {value} +- {off}, got {shown}")
        check(f"{name}: {field} as estimated", estimate is not None and abs(estimate - value) <= off, f"want {value} +- {off}, got {estimate}")
