#!/usr/bin/env python3
"""imports.py PROGRAM: what a 64-bit Mach-O program asks of its system, a line each:
cpu NAME, minos VERSION, library PATH, signed (it carries a signature), symbol NAME (undefined, dynamic)."""
import struct
import sys

SEGMENT, SYMTAB, DYLIB, WEAK_DYLIB, REEXPORT, SIGNATURE = 0x19, 0x2, 0xC, 0x80000018, 0x8000001F, 0x1D
MIN_MACOS, BUILD_VERSION = 0x24, 0x32
CPUS = {0x0100000C: "arm64", 0x01000007: "x86_64"}


def version(number):
    return f"{number >> 16}.{number >> 8 & 255}"


def undefined(image, table, count, strings):
    for at in range(table, table + 16 * count, 16):
        name, kind, _, _, value = struct.unpack_from("<IBBHQ", image, at)
        if kind & 0x0E == 0 and kind & 0x01 and not kind & 0xE0 and value == 0:
            start = strings + name
            yield image[start : image.index(b"\0", start)].decode()


def main(path):
    image = open(path, "rb").read()
    magic, cpu, _, _, commands = struct.unpack_from("<IIIII", image)
    if magic != 0xFEEDFACF:
        sys.exit(f"{path}: no 64-bit Mach-O program")
    print("cpu", CPUS.get(cpu, hex(cpu)))
    at = 32
    for _ in range(commands):
        command, size = struct.unpack_from("<II", image, at)
        if command in (DYLIB, WEAK_DYLIB, REEXPORT):
            start = at + struct.unpack_from("<I", image, at + 8)[0]
            print("library", image[start : image.index(b"\0", start)].decode())
        elif command == SIGNATURE:
            print("signed")
        elif command == BUILD_VERSION:
            print("minos", version(struct.unpack_from("<I", image, at + 12)[0]))
        elif command == MIN_MACOS:
            print("minos", version(struct.unpack_from("<I", image, at + 8)[0]))
        elif command == SYMTAB:
            table, count, strings, _ = struct.unpack_from("<IIII", image, at + 8)
            for name in undefined(image, table, count, strings):
                print("symbol", name)
        at += size


main(sys.argv[1])
