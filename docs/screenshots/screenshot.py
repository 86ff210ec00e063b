#!/usr/bin/env python3
"""Runs a program in a terminal of its own and writes what it shows as SVG (and as text).

usage: screenshot.py OUT.svg COLUMNSxROWS KEYS COMMAND...

KEYS are tmux key names separated by blanks ("sleep:2" waits), or "-" for none. Needs tmux. Python 3.11, standard
library only.
"""
import html, os, re, subprocess, sys, tempfile, time

WIDTH, HEIGHT, SIZE = 8.4, 18, 14                     # of a cell, and of the font, in pixels
BACKGROUND, FOREGROUND = "#101418", "#d8dee4"
BASIC = ["#1c2024", "#e05561", "#8cc265", "#d18f52", "#4aa5f0", "#c162de", "#42b3c2", "#d7dae0",
         "#5f6770", "#ff616e", "#a5e075", "#f0a45d", "#4dc4ff", "#de73ff", "#4cd1e0", "#ffffff"]


def palette(n):
    if n < 16: return BASIC[n]
    if n >= 232: return "#" + f"{8 + 10 * (n - 232):02x}" * 3
    n -= 16
    return "#" + "".join(f"{0 if v == 0 else 55 + 40 * v:02x}" for v in (n // 36, n // 6 % 6, n % 6))


class Style:
    def __init__(self): self.reset()
    def reset(self): self.fg, self.bg, self.bold, self.dim, self.reverse, self.underline = None, None, False, False, False, False

    def apply(self, codes):
        codes = [int(c or 0) for c in codes.split(";")] if codes else [0]
        while codes:
            c = codes.pop(0)
            if c == 0: self.reset()
            elif c == 1: self.bold = True
            elif c == 2: self.dim = True
            elif c == 4: self.underline = True
            elif c == 7: self.reverse = True
            elif c == 22: self.bold = self.dim = False
            elif c == 24: self.underline = False
            elif c == 27: self.reverse = False
            elif 30 <= c <= 37: self.fg = palette(c - 30)
            elif 90 <= c <= 97: self.fg = palette(c - 82)
            elif 40 <= c <= 47: self.bg = palette(c - 40)
            elif 100 <= c <= 107: self.bg = palette(c - 92)
            elif c == 39: self.fg = None
            elif c == 49: self.bg = None
            elif c in (38, 48) and codes:
                kind = codes.pop(0)
                color = palette(codes.pop(0)) if kind == 5 else "#" + "".join(f"{codes.pop(0):02x}" for _ in range(3))
                if c == 38: self.fg = color
                else: self.bg = color

    def colors(self):
        fg, bg = self.fg or FOREGROUND, self.bg
        return (bg or BACKGROUND, fg) if self.reverse else (fg, bg)


def runs(line):
    """(text, style attributes) pieces of one captured line."""
    style = Style()
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b["): style.apply(part[2:-1])
        elif part: yield part, style.colors(), style.bold, style.dim, style.underline


def svg(lines, columns):
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * WIDTH + 16:.0f}" height="{len(lines) * HEIGHT + 16}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{SIZE}">',
           f'<rect width="100%" height="100%" rx="6" fill="{BACKGROUND}"/>']
    for y, line in enumerate(lines):
        x = 0
        for text, (fg, bg), bold, dim, underline in runs(line):
            left, width = 8 + x * WIDTH, len(text) * WIDTH
            if bg: out.append(f'<rect x="{left:.1f}" y="{8 + y * HEIGHT}" width="{width:.1f}" height="{HEIGHT}" fill="{bg}"/>')
            if text.strip():
                extra = (' font-weight="bold"' if bold else "") + (' opacity="0.6"' if dim else "") + (' text-decoration="underline"' if underline else "")
                out.append(f'<text x="{left:.1f}" y="{8 + y * HEIGHT + 14}" textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs" xml:space="preserve" fill="{fg}"{extra}>{html.escape(text)}</text>')
            x += len(text)
    return "\n".join(out + ["</svg>", ""])


def capture(size, keys, command):
    columns, rows = size.split("x")
    with tempfile.TemporaryDirectory() as tmp:
        tmux = ["tmux", "-S", f"{tmp}/socket", "-f", "/dev/null"]
        env = os.environ | {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"}
        subprocess.run([*tmux, "new-session", "-d", "-x", columns, "-y", rows, " ".join(command) + "; sleep 60"], env=env, check=True)
        subprocess.run([*tmux, "set", "-g", "status", "off"], check=True)
        subprocess.run([*tmux, "resize-window", "-x", columns, "-y", rows], check=False, capture_output=True)
        time.sleep(float(os.environ.get("WAIT", "3")))
        for key in [] if keys == "-" else keys.split():
            if key.startswith("sleep:"): time.sleep(float(key[6:]))
            else: subprocess.run([*tmux, "send-keys", key], check=True); time.sleep(0.3)
        if keys != "-": time.sleep(0.7)
        screens = [subprocess.run([*tmux, "capture-pane", "-p", *flags], check=True, capture_output=True, text=True).stdout for flags in (["-e"], [])]
        subprocess.run([*tmux, "kill-server"], check=False)
    return screens


def main():
    if len(sys.argv) < 5: sys.exit(__doc__)
    out, size, keys, command = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    colored, plain = capture(size, keys, command)
    with open(out, "w", encoding="utf-8") as f: f.write(svg(colored.rstrip("\n").split("\n"), int(size.split("x")[0])))
    with open(os.path.splitext(out)[0] + ".txt", "w", encoding="utf-8") as f: f.write("\n".join(l.rstrip() for l in plain.split("\n")).rstrip() + "\n")
    print(out)


if __name__ == "__main__": main()
