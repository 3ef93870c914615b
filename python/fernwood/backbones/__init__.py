# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Backbones: frozen pretrained networks whose feature maps are channels.

:func:`fernwood.train` and :func:`fernwood.search` read EfficientNet-Lite0 where frames have colour; the package
contains it. ``backbone="none"`` leaves it out, and a path names another one:

>>> forest = fernwood.train("rooms/train", backbone="mobilenet.backbone")

On the command line, ``python -m fernwood.backbones WEIGHTS OUT`` calls :func:`import_weights`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Optional, Union

from .. import _fernwood
from .._arguments import checked
from .._option_types import BackboneOptions, Unpack
from .._options import option_texts
from .._words import a_type
from ..dataset import Dataset
from ..errors import DataError, UsageError
from ._torch_weights import read_torch_weights

__all__ = ["describe", "import_weights"]


def __dir__():
    return __all__


@checked
def import_weights(
    weights: Union[str, os.PathLike],
    out: Union[str, os.PathLike],
    *,
    frames: Optional[Dataset] = None,
    threads: int = 0,
    **options: Unpack[BackboneOptions],
) -> str:
    """Converts the weights of a network of MobileNetV2's family to a backbone file, and returns its path.

    Parameters
    ----------
    weights
        For an EfficientNet-Lite (0 to 4), a file that PyTorch's torch.save() wrote from a state_dict(), with the names
        of efficientnet_lite_pytorch; for another network with ReLU6 and without squeeze-and-excitation, an ONNX file.
        Files are read without PyTorch and ONNX, and functions named in a file are never called.
    out
        The backbone file, in which weights and activations have 8 bits.
    frames
        Frames with colour, on which the limits of activations are measured, instead of taking them from the statistics
        of the training data in the weights. A hundred are enough; most ONNX files need them.
    options
        Facts about the network for the file (name, source, licence), and the scaling of input colours for an ONNX
        file's network (normalization): "lite", (c - 127) / 128, or "imagenet", by ImageNet's means and deviations, as
        for torchvision's networks.

    Raises
    ------
    DataError
        The file is damaged or has another format.
    """
    if frames is not None and not isinstance(frames, Dataset):
        raise UsageError(f"frames is {a_type(frames)}; use a Dataset of frames with colour")
    weights, out = os.fspath(weights), os.fspath(out)
    native = None if frames is None else frames._native
    _fernwood.import_backbone(weights, _torch_arrays(weights), out, native, option_texts(options), threads)
    return out


def _torch_arrays(path: str) -> list[tuple[str, tuple[int, ...], bytes]]:
    """The arrays of a PyTorch file: name, shape, floats. Empty: the library reads the file, or says why it cannot."""
    try:
        content = Path(path).read_bytes()
    except OSError:
        return []
    if not content.startswith((b"PK", b"\x80")):
        return []
    try:
        return [(name, shape, values.tobytes()) for name, (shape, values) in read_torch_weights(content, path).items()]
    except ValueError as error:
        raise DataError(str(error)) from None


@checked
def describe(backbone: Union[str, os.PathLike]) -> dict[str, Any]:
    """The contents of a backbone file: name, source, licence, checksum, number of weights and of feature maps.

    Parameters
    ----------
    backbone
        The name of a backbone that the package contains, "lite0", or the path of a file.

    Raises
    ------
    ModelError
        The file is damaged, has another format, or is from a newer fernwood.
    UsageError
        The package contains no backbone of this name; the message lists those that it contains.
    """
    return _fernwood.describe_backbone(os.fspath(backbone))
