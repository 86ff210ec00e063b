#!/usr/bin/env python3
"""The hardware checks, tried where there is no hardware: on recorded machines, with the fake NVML beside a stand-in for nvidia-smi,
and on machines that differ from what the program is shown.

usage: test_scripts.py PROGRAM FAKE_NVML CASES
"""
import os, re, shutil, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases"))
import relink, tap

program, nvml, cases = [os.path.abspath(a) for a in sys.argv[1:4]]
scripts = os.path.dirname(os.path.abspath(__file__))
work = tempfile.mkdtemp()


def machine(case):
    """A complete tree of the case's first sample."""
    source = next(p for p in (f"{cases}/drm/{case}/root", f"{cases}/drm/{case}/frame0") if os.path.isdir(p))
    tree = f"{work}/{case}"
    shutil.copytree(source, tree, symlinks=True)
    for folder, _, _ in os.walk(tree): os.chmod(folder, 0o755)
    relink.relink(tree)
    return tree


def check(script, tree, shown=None, **more):
    """The script on `tree`; the program is shown another one where `shown` says so."""
    named = program
    if shown:
        named = f"{work}/shown"
        with open(named, "w") as f: f.write(f'#!/bin/sh\nexport GPUTASKMAN_SYSROOT="{shown}"\nexec "{program}" "$@"\n')
        os.chmod(named, 0o755)
    return tap.run([f"{scripts}/{script}", named], GPUTASKMAN_SYSROOT=tree, GPUTASKMAN_SAMPLE_TIMES="0,1,2,3", **more)


def says(out, *lines): return [l for l in lines if not re.search(l, out, re.M)]


def test_amd():
    tree = machine("amd-rdna3-private-client")
    status, out, err = check("amd.sh", tree)
    missing = says(out, r"agrees   VRAM used: 9789517824", r"agrees   power limit, W: 236", r"agrees   process 4242: 9663688704 bytes", r"^1[0-9] agree, 0 differ")
    tap.check("an AMD card agrees", status == 0 and not missing and not err, (status, missing, out, err))
    status, out, _ = check("amd.sh", machine("amd-rocm-kfd-mi300x"))
    missing = says(out, r"agrees   graphics clock, MHz: 132", r"agrees   process 2266127:", r"HIP process 2266127 is listed", r"0 differ")
    tap.check("an accelerator agrees: clocks in tables, memory keys of an older kernel", status == 0 and not missing, (status, missing, out))
    status, out, _ = check("amd.sh", machine("hybrid-suspended-dgpu"))
    missing = says(out, r"agrees   told as suspended", r"agrees   still asleep", r"780M Graphics, integrated", r"0 differ")
    tap.check("a sleeping card is left asleep, the other one checked", status == 0 and not missing, (status, missing, out))


def test_differences():
    tree = machine("amd-navi-without-hwmon")
    status, out, _ = check("amd.sh", tree)
    missing = says(out, r"-        edge, degrees: 45 by the firmware's table alone", r"6 agree, 0 differ")
    tap.check("what only the firmware's table says is no difference", status == 0 and not missing, (status, missing, out))
    other = f"{work}/other"
    shutil.copytree(tree, other, symlinks=True)
    card = os.path.realpath(f"{other}/sys/class/drm/{next(n for n in sorted(os.listdir(other + '/sys/class/drm')) if n.startswith('card'))}/device")
    with open(f"{card}/mem_info_vram_used", "w") as f: f.write("1\n")
    status, out, _ = check("amd.sh", tree, shown=other)
    tap.check("a wrong figure is found", status == 1 and not says(out, r"DIFFERS  VRAM used: we say 1, the kernel", r", 1 differ"), (status, out))


def test_intel():
    status, out, err = check("intel.sh", machine("intel-xe-b580"))
    missing = says(out, r"agrees   VRAM, degrees: 48", r"agrees   fan, rpm: 418", r"agrees   process 8800: 7516192768 bytes", r"0 differ")
    tap.check("an Intel card agrees", status == 0 and not missing and not err, (status, missing, out, err))


SMI = """#!/bin/sh
case $1 in
--query-gpu=*) echo 'GPU-1, 24564, 4096, 397, 40, 10, 50, 100.20, 450.00, 33, 2100, 2100, 10000, 1800, 4, 16' ;;
--query-compute-apps=*) echo 'GPU-1, 4000, %s' ;;
esac
"""
SCENARIO = """driver 550.54.14
device 0
 name NVIDIA GeForce RTX 4090
 uuid GPU-1
 minor 0
 pci 00000000:01:00.0
 mem_total 24564MiB
 mem_reserved 397MiB
 mem_used 4GiB
 util_gpu 40
 util_mem 10
 temp 50
 power_mw 100200
 power_limit_mw 450000
 fan_pct 33
 clock_gr 2100
 clock_sm 2100
 clock_mem 10000
 clock_video 1800
 pcie_gen 4
 pcie_width 16
proc 0 pid=4000 type=C mem=3000MiB
"""


def test_nvidia():
    tree, tools = machine("nvidia-holders-without-nvml"), f"{work}/tools"
    os.mkdir(tools)
    with open(f"{work}/scenario", "w") as f: f.write(SCENARIO)
    more = {"FAKE_NVML_SCENARIO": f"{work}/scenario", "GPUTASKMAN_NVML": nvml, "PATH": f"{tools}:{os.environ['PATH']}"}
    for mib, want, line in (("3000", 0, r"agrees   process 4000: 3145728000 bytes"), ("2000", 1, r"DIFFERS  process 4000: we say 3145728000 bytes, nvidia-smi 2000 MiB")):
        with open(f"{tools}/nvidia-smi", "w") as f: f.write(SMI % mib)
        os.chmod(f"{tools}/nvidia-smi", 0o755)
        status, out, _ = check("nvidia.sh", tree, **more)
        missing = says(out, r"agrees   memory reserved: 416284672", r"agrees   power, W: 100.2", r"agrees   PCIe width: 16", line, f"1[0-9] agree, {want} differ")
        tap.check(f"an NVIDIA card beside nvidia-smi: {want} differ", status == want and not missing, (status, missing, out))


def test_none():
    os.makedirs(f"{work}/empty/sys/class/drm")
    for script in ("amd.sh", "intel.sh", "nvidia.sh"):
        status, out, _ = check(script, f"{work}/empty")
        tap.check(f"{script} without such a GPU", status == 77 and "nothing to check" in out, (status, out))


try:
    for test in (test_amd, test_differences, test_intel, test_nvidia, test_none): test()
finally:
    shutil.rmtree(work, ignore_errors=True)
tap.done()
