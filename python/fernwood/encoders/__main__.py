# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""``python -m fernwood.encoders OPTIONS`` computes maps for the program fernwood, which starts it.

OPTIONS is a JSON object with the arguments of `from_onnx`. Frames come from standard input, as two numbers, rows and
columns, and colour, [rows][cols][3]; answers go to standard output: five numbers, and what these announce. Numbers are
little-endian and have 32 bits; the first of an answer is the version of this protocol (src/encoder/encoder_process.cpp).
"""

import json
import os
import struct
import sys
from typing import Any

PROTOCOL = 0x31455746  # "FWE1"
FACTS, MAPS, FAILURE = range(3)


def answer(out, kind: int, content: bytes, sizes=None) -> None:
    out.write(struct.pack("<5I", PROTOCOL, kind, *(sizes or (len(content), 0, 0))) + content)
    out.flush()


def serve(options: dict) -> None:
    frames, out = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    try:
        from . import from_onnx

        encoder: Any = from_onnx(options.pop("encoder"), **options)
        facts = {"name": encoder.name, "checksum": encoder.checksum, "options": encoder.options}
        answer(out, FACTS, json.dumps(facts).encode())
        while header := frames.read(8):
            import numpy

            rows, cols = struct.unpack("<2I", header)
            color = numpy.frombuffer(frames.read(rows * cols * 3), numpy.uint8).reshape(rows, cols, 3)
            maps = encoder(color)
            answer(out, MAPS, numpy.ascontiguousarray(maps, "<f4").tobytes(), maps.shape)
    except Exception as failure:  # the program says it to its user
        answer(out, FAILURE, str(failure).encode())


if __name__ == "__main__":
    serve(json.loads(sys.argv[1]))
