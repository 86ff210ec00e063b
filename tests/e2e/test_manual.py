#!/usr/bin/env python3
"""The manual page and the shell completions. usage: test_manual.py PROGRAM MAN BASH ZSH FISH"""
import re, shutil, subprocess, sys

from tap import check, done, run, skip

PROGRAM, MAN, BASH, ZSH, FISH = sys.argv[1:6]


def output(*argv): return subprocess.run(argv, capture_output=True, text=True, timeout=60)


def manual():
    page = open(MAN, encoding="utf-8").read()
    plain = re.sub(r"\\f[BIR]", "", page).replace("\\-", "-")
    options = re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", run([PROGRAM, "--help"])[1], re.M)
    missing = [o for o in options if o not in plain]
    check("every option of --help is in the manual page", len(options) > 15 and not missing, missing)
    check("no request or escape comes from a table", not re.search(r"\\[^fe&-]", page), re.findall(r".*\\[^fe&-].*", page)[:3])
    for tool, argv in {"groff": ["-man", "-ww", "-Tutf8", "-z", MAN], "mandoc": ["-T", "lint", "-W", "error", MAN]}.items():
        if not shutil.which(tool): skip(f"{tool} finds nothing in the manual page", f"no {tool} here")
        else:
            said = output(tool, *argv)
            check(f"{tool} finds nothing in the manual page", said.returncode == 0 and not said.stderr.strip(), said.stderr + said.stdout)


def bash():
    """What is offered behind words, by the words' own shell."""
    for words, offered in ((["gtm", "--them"], ["--theme"]), (["gtm", "--theme", "d"], ["dark"]), (["gtm", "ins"], ["inspect"]),
                           (["gtm", "record", "--outp"], ["--output"]), (["gtm", "--outp"], []), (["gtm", "--sort", "vr"], ["vram"]),
                           (["gtm", "--helper"], []), (["gtm", "record", "-o", BASH[:-2]], [BASH])):
        script = f'source "{BASH}"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gputaskman; printf "%s\\n" "${{COMPREPLY[@]}}"'
        got = output("bash", "--norc", "-c", script, "bash", *words).stdout.split()
        check(f"bash completes {' '.join(words[:-1])} {words[-1].rsplit('/', 1)[-1]}", got == offered or (words[-1] == BASH[:-2] and BASH in got), got)


def others():
    if shutil.which("zsh"): check("zsh reads its completion", output("zsh", "-n", ZSH).returncode == 0)
    else: skip("zsh reads its completion", "no zsh here")
    if not shutil.which("fish"): return skip("fish completes", "no fish here")
    for words, offered in (("gtm --the", "--theme"), ("gtm rec", "record"), ("gtm record --outp", "--output"), ("gputaskman --theme li", "light")):
        got = output("fish", "--no-config", "-c", f"source {FISH}; complete -C '{words}'").stdout.split()
        check(f"fish completes {words}", got[:1] == [offered], got)


manual()
bash()
others()
done()
