"""Pieces of a Windows machine for tests: a small model file, and what the system's counters and adapters say."""
import json, struct

MIB = 1 << 20
LUID = "0x00000000_0x0000D1B4"
T0 = 134140000000000000


def gguf(path, name="Tiny"):
    """A GGUF file of a little more than 16 MiB with one tensor."""
    def string(text): return struct.pack("<Q", len(text)) + text.encode()
    def number(key, value): return string(key) + struct.pack("<II", 4, value)
    pairs = [string("general.architecture") + struct.pack("<I", 8) + string("llama"), string("general.name") + struct.pack("<I", 8) + string(name),
             number("llama.block_count", 2), number("llama.context_length", 4096), number("llama.embedding_length", 1024), number("llama.attention.head_count", 8)]
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, len(pairs)) + b"".join(pairs)
    head += string("token_embd.weight") + struct.pack("<IQQIQ", 2, 1024, 8192, 1, 0)
    with open(path, "wb") as file: file.write(head + bytes(-len(head) % 32)), file.truncate(len(head) + -len(head) % 32 + 16 * MIB)


def counters(folder, pids, engines={}):
    """Two collections a second apart: 64 MiB of one card for each pid; `engines`: a pid's running time in the second, by engine type."""
    lines = []
    def say(sample, counter, instance, first, second=0):
        lines.append({"s": sample, "counter": f"\\{counter}", "instance": instance, "cstatus": "0x00000000", "kind": "raw", "first": first, "second": second})
    for sample in range(2):
        lines.append({"collect": sample, "t100ns": T0 + sample * 10**7, "status": "0x00000000"})
        for pid in pids:
            of = f"pid_{pid}_luid_{LUID}_phys_0"
            for counter, value in (("Local Usage", 64 * MIB), ("Non Local Usage", 0), ("Total Committed", 64 * MIB)): say(sample, f"GPU Process Memory(*)\\{counter}", of, value)
            for engine, (kind, percent) in enumerate(engines.get(pid, {}).items()):
                say(sample, "GPU Engine(*)\\Utilization Percentage", f"{of}_eng_{engine}_engtype_{kind}", sample * percent * 10**5, T0 + sample * 10**7)
        for counter, value in (("Dedicated Usage", 80 * MIB * len(pids)), ("Shared Usage", 0), ("Total Committed", 80 * MIB * len(pids))):
            say(sample, f"GPU Adapter Memory(*)\\{counter}", f"luid_{LUID}_phys_0", value)
    with open(f"{folder}/counters.jsonl", "w") as file: file.writelines(json.dumps(line) + "\n" for line in lines)
    kinds = {"RenderSupported": 1, "DisplaySupported": 1, "SoftwareDevice": 0, "IndirectDisplayDevice": 0, "ComputeOnly": 0}
    with open(f"{folder}/adapters.json", "w") as file:
        json.dump([{"luid": LUID, "name": "Card", "kind": "discrete", "dedicated_bytes": 8 << 30, "shared_limit_bytes": 16 << 30, "adapter_type": kinds}], file)
