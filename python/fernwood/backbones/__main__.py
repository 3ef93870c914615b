# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""``python -m fernwood.backbones WEIGHTS OUT`` turns the weights of a network into a backbone file."""

import argparse
import sys

from .. import Dataset, FernwoodError
from . import describe, import_weights

parser = argparse.ArgumentParser(
    "python -m fernwood.backbones", description="Turn the weights of a network into a backbone file."
)
parser.add_argument("weights", help="state_dict() of an EfficientNet-Lite, as torch.save() writes it, or an ONNX file")
parser.add_argument("out", help="backbone file to write")
parser.add_argument("--data", metavar="DIR", help="frames to measure the limits of activations on; 100 are enough")
parser.add_argument("--max-frames", type=int, default=0, metavar="N", help="read N frames only, evenly spread")
for fact in ("name", "source", "licence", "normalization"):
    parser.add_argument(f"--{fact}", help=f"as {fact} of fernwood.backbones.import_weights()")
options = {name: value for name, value in vars(parser.parse_args()).items() if value is not None}
data, max_frames = options.pop("data", None), options.pop("max_frames")
try:
    out = import_weights(**options, frames=Dataset(data, needs_labels=False, max_frames=max_frames) if data else None)
    print(f"{out}: {describe(out)}\nnext    fernwood train --data DIR --backbone {out} --out FILE")
except FernwoodError as error:
    sys.exit(f"error: {error}")
