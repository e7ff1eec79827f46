#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws start.png, the plate that comes with the sample: the name in hot letters between two hot wires.

usage: draw_start.py [FILE]
"""
import math
import struct
import sys
import zlib

WIDTH, HEIGHT = 240, 120
LETTERS = {  # 5 x 7 dots, a row a number, the highest bit left
    "S": (14, 17, 16, 14, 1, 17, 14), "t": (4, 4, 14, 4, 4, 5, 2), "r": (0, 0, 22, 25, 16, 16, 16),
    "e": (0, 0, 14, 17, 31, 16, 14), "a": (0, 0, 14, 1, 15, 17, 15), "m": (0, 0, 26, 21, 21, 21, 21),
    "M": (17, 27, 21, 21, 17, 17, 17), "A": (14, 17, 17, 31, 17, 17, 17), "P": (30, 17, 17, 30, 16, 16, 16),
}
DOT = 4  # pixels


def letters(text, top):
    """The pixels of a line of text, centred."""
    left = (WIDTH - (6 * len(text) - 1) * DOT) // 2
    for number, letter in enumerate(text):
        for row, bits in enumerate(LETTERS[letter]):
            for column in range(5):
                if bits >> (4 - column) & 1:
                    for y in range(DOT):
                        for x in range(DOT):
                            yield left + (6 * number + column) * DOT + x, top + row * DOT + y


def draw():
    pixels = [bytearray(WIDTH) for _ in range(HEIGHT)]
    for x in range(WIDTH):
        for phase, middle in ((0.0, 20), (math.pi, HEIGHT - 21)):
            y = middle + 10 * math.sin(2 * math.pi * 2 * x / WIDTH + phase)
            for row in range(HEIGHT):
                if abs(row - y) < 2.5:
                    pixels[row][x] = 170
    for x, y in letters("StreamMAP", HEIGHT // 2 - 14):
        pixels[y][x] = 255
    return pixels


def write_png(file, pixels):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 0, 0, 0, 0)  # 8 bits of grey
    rows = b"".join(b"\0" + bytes(row) for row in pixels)
    with open(file, "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    write_png(sys.argv[1] if len(sys.argv) > 1 else "start.png", draw())
