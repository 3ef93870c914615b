# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Encoders: pretrained networks, run by ONNX Runtime or PyTorch, that compute the feature maps supplied with frames.

>>> forest = fernwood.train("rooms/train", encoder="dinov2.onnx:6,9")
>>> labels = forest.predict(color, depth)  # by the same file

Any function of the colour and depth of a frame that returns maps is an encoder, too. The extra `encoders` installs what
ONNX files need; nothing is downloaded at run time.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from .. import _fernwood
from .._arguments import checked
from .._optional import require
from .._words import a_type, listed
from ..errors import DataError, ModelError, UsageError

__all__ = ["from_onnx", "from_torch"]

#: A function of colour (rows, columns, 3) and depth (rows, columns) in millimetres, either of which may be None, that
#: returns maps (maps, rows, columns). Also an ONNX file, as for `from_onnx`, or a torch.nn.Module, as for `from_torch`.
Encoder = Union[str, os.PathLike, Callable[[Optional[np.ndarray], Optional[np.ndarray]], Any]]

#: Mean and standard deviation of each colour, in [0, 1], with which networks were trained.
NORMALIZATIONS = {
    "imagenet": ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    "clip": ((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)),
    "signed": ((0.5,) * 3, (0.5,) * 3),
    "unit": ((0.0,) * 3, (1.0,) * 3),
}
#: Longer side of the input, in pixels: 32 x 24 tokens of 14 pixels for a frame of 4:3.
DEFAULT_SIZE = 448
#: Convolutional networks reduce their input by at most this factor.
DEFAULT_STRIDE = 32
#: A vision transformer has at most this many tokens that belong to no place, before the others.
MOST_EXTRA_TOKENS = 64


def __dir__():
    return __all__


def _check(size: int, normalization: str) -> None:
    if normalization not in NORMALIZATIONS:
        raise UsageError(f'normalization is "{normalization}"; use one of {", ".join(NORMALIZATIONS)}')
    if not 0 <= size <= 8192:
        raise UsageError(f"size is {size}; use the longer side of the input in pixels, up to 8192, or 0 for the usual one")


def _input_size(color: np.ndarray, longest: int, multiple: int) -> tuple[int, int]:
    """Rows and columns of the input: the proportions of the frame, in multiples that the network can divide."""
    scale = longest / max(color.shape[:2])
    rows, cols = (max(1, round(side * scale / multiple)) * multiple for side in color.shape[:2])
    return rows, cols


def _input(color: np.ndarray, size: tuple[int, int], normalization: str) -> np.ndarray:
    """Float32 of shape (1, 3, rows, columns)."""
    image = require("PIL.Image", "an encoder")
    mean, deviation = NORMALIZATIONS[normalization]
    resized = image.fromarray(np.ascontiguousarray(color)).resize(size[::-1], image.Resampling.BILINEAR)
    scaled = (np.asarray(resized, np.float32) / 255 - np.array(mean, np.float32)) / np.array(deviation, np.float32)
    return np.ascontiguousarray(scaled.transpose(2, 0, 1)[np.newaxis])


def _maps(output: np.ndarray, size: tuple[int, int], patch: int, name: str) -> np.ndarray:
    """The output of a network as (maps, rows, columns)."""
    if output.ndim == 4 and output.shape[0] == 1:
        return output[0]
    if output.ndim == 3 and output.shape[0] != 1:
        return output
    if output.ndim != 3:
        raise DataError(f"{name} has the shape {output.shape}; maps are (1, maps, rows, columns), tokens (1, tokens, maps)")
    rows, cols = size[0] // patch, size[1] // patch
    extra = output.shape[1] - rows * cols
    if not 0 <= extra <= MOST_EXTRA_TOKENS:
        raise DataError(
            f"{name} has {output.shape[1]} tokens, and an input of {size[1]} x {size[0]} pixels has {cols} x {rows} patches "
            f"of {patch} pixels; name a tensor whose tokens are patches, with class and register tokens before them"
        )
    return output[0, extra:].T.reshape(-1, rows, cols)


def _together(all_maps: Sequence[np.ndarray]) -> np.ndarray:
    """All maps at the finest resolution; a cell of a coarser one is repeated."""
    rows, cols = max((maps.shape[1:] for maps in all_maps), key=lambda shape: shape[0] * shape[1])
    return np.concatenate(
        [
            maps[:, np.arange(rows)[:, None] * maps.shape[1] // rows, np.arange(cols) * maps.shape[2] // cols]
            for maps in all_maps
        ]
    ).astype(np.float32, copy=False)


def _normalized(tokens: np.ndarray) -> np.ndarray:
    """Tokens between two blocks, as the network's own last normalisation would scale them."""
    tokens = tokens.astype(np.float32, copy=False)
    centred = tokens - tokens.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-6)


class _OnnxEncoder:
    """Runs an ONNX file. See `from_onnx`."""

    _names: list[str]
    _blocks: set[str]

    def __init__(self, file: str, size: int, normalization: str) -> None:
        _check(size, normalization)
        path, _, tensors = file.partition(".onnx:")
        self._path = Path(path + ".onnx" if tensors else path)
        self._tensors = [tensor for tensor in tensors.split(",") if tensor]
        self._size, self._normalization = size, normalization
        self._session: Any = None
        self._declared: Optional[tuple[int, int]] = None  # the size of every input; None: that of the frame
        self._alone = threading.Lock()  # the network uses all cores
        self.name = self._path.stem
        self.options = {"encoder": file, "size": size, "normalization": normalization}
        try:
            content = hashlib.sha256(self._path.read_bytes())
            for data in sorted(self._path.parent.glob(self._path.name + "*data")):  # weights of files beyond 2 GB
                content.update(data.read_bytes())
        except OSError as failure:
            raise DataError(f"{self._path} cannot be read: {failure.strerror}; name the ONNX file of an encoder") from failure
        content.update(json.dumps([self._tensors, size, normalization]).encode())
        self.checksum = content.hexdigest()[:16]

    def __call__(self, color: Optional[np.ndarray], depth: Optional[np.ndarray] = None) -> np.ndarray:
        if color is None:
            raise DataError(f"{self.name}: the frame has no colour, which the encoder sees; pass colour")
        with self._alone:
            return self._encode(color)

    def _encode(self, color: np.ndarray) -> np.ndarray:
        if self._session is None:
            self._open()
        size = self._declared or _input_size(color, self._size or DEFAULT_SIZE, self._multiple)
        try:
            return self._run(color, size)
        except Exception as failure:  # ONNX Runtime has no class of its own for a shape that a node refuses
            if isinstance(failure, (DataError, ImportError)):
                raise
            if self._size or self._declared or not all(self._declared_size):
                raise DataError(
                    f"{self._path}: fails with an input of {size[1]} x {size[0]} pixels: {_line(failure)}; use another size"
                ) from failure
        self._declared = self._declared_size  # the graph computes with its declared size only
        return self._run(color, self._declared)

    def _run(self, color: np.ndarray, size: tuple[int, int]) -> np.ndarray:
        tensor = _input(color, size, self._normalization).astype(self._type, copy=False)
        outputs = self._session.run(None, {self._session.get_inputs()[0].name: tensor})
        found = []
        for name, output in zip(self._names, outputs):
            output = _normalized(output) if name in self._blocks else output
            found.append(_maps(output, size, self._multiple, f"{self._path}: {name}"))
        return _together(found)

    def _open(self) -> None:
        """Makes the chosen tensors the outputs of the graph, and its input of any size."""
        onnx = require("onnx", "an encoder")
        runtime = require("onnxruntime", "an encoder")
        try:
            model = onnx.load(self._path, load_external_data=False)
        except Exception as failure:  # protobuf's own
            raise DataError(f"{self._path} is not an ONNX file; export the network by torch.onnx.export()") from failure
        graph = model.graph
        constants = {constant.name for constant in graph.initializer}
        inputs = [value for value in graph.input if value.name not in constants]
        dims = inputs[0].type.tensor_type.shape.dim if len(inputs) == 1 else []
        if len(dims) != 4 or dims[1].dim_value not in (0, 3):
            raise DataError(f"{self._path}: the inputs are {_described(inputs)}; an encoder has one, (1, 3, rows, columns)")
        self._declared_size = (dims[2].dim_value, dims[3].dim_value)
        for index, dim in enumerate(dims):
            if index != 1:
                dim.dim_param = f"side{index}"
        self._type = onnx.helper.tensor_dtype_to_np_dtype(inputs[0].type.tensor_type.elem_type)
        first = next((node for node in graph.node if node.op_type == "Conv"), None)
        strides = [list(a.ints) for a in first.attribute if a.name == "strides"] if first is not None else []
        self._multiple = strides[0][0] if strides and strides[0][0] >= 8 else DEFAULT_STRIDE
        self._choose_tensors(graph)
        del graph.value_info[:], graph.output[:]  # their shapes are those of the declared size
        graph.output.extend(onnx.ValueInfoProto(name=name) for name in self._names)
        options = runtime.SessionOptions()
        options.log_severity_level = 4  # failures are exceptions, too
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(self._path.parent))
        fit = [name for name in ("CUDAExecutionProvider", "CPUExecutionProvider") if name in runtime.get_available_providers()]
        try:
            self._session = runtime.InferenceSession(model.SerializeToString(), options, providers=fit)
        except Exception as failure:  # ONNX Runtime's own
            raise DataError(f"{self._path}: ONNX Runtime cannot load it: {_line(failure)}; update onnxruntime") from failure

    def _choose_tensors(self, graph: Any) -> None:
        computed = [name for node in graph.node for name in node.output if name]
        blocks = {}
        for name in computed:  # the last addition of a block is that of its residual connection
            found = re.search(r"(?:layers?|blocks?)\.(\d+)/Add(?:_\d+)?_output_0$", name)
            if found:
                blocks[int(found[1]) + 1] = name
        self._names, self._blocks = [], set()
        for tensor in self._tensors:
            if not tensor.isdigit():
                self._names.append(tensor)
                continue
            if int(tensor) not in blocks:
                known = f"they are {min(blocks)} to {max(blocks)}" if blocks else "its names show no blocks"
                raise UsageError(f"{self._path} has no block {tensor}, {known}; name a tensor")
            self._names.append(blocks[int(tensor)])
            self._blocks.add(blocks[int(tensor)])
        if not self._tensors:
            self._names = [value.name for value in graph.output if len(value.type.tensor_type.shape.dim) in (3, 4)]
        unknown = [name for name in self._names if name not in computed]
        if unknown or not self._names:
            what = f"has no tensor {unknown[0]}" if unknown else "has no output of maps or tokens"
            sums = [node.output[0] for node in graph.node if node.op_type in ("Add", "LayerNormalization", "Conv")]
            raise UsageError(f"{self._path}: {what}; name tensors after a colon, such as {listed(sums[::-1])}")


def _line(failure: Exception) -> str:
    return " ".join(str(failure).split())


def _described(inputs: Sequence[Any]) -> str:
    shapes = [[dim.dim_value or dim.dim_param for dim in value.type.tensor_type.shape.dim] for value in inputs]
    return ", ".join(f"{value.name} {shape}" for value, shape in zip(inputs, shapes)) or "none"


@checked
def from_onnx(file: Union[str, os.PathLike], *, size: int = 0, normalization: str = "imagenet") -> Encoder:
    """An encoder that ONNX Runtime runs, on a GPU if the installed ONNX Runtime supports it.

    Parameters
    ----------
    file
        ``FILE.onnx``, or ``FILE.onnx:TENSOR,TENSOR``: the tensors that are maps, (1, maps, rows, columns), or tokens of a
        vision transformer, (1, tokens, maps), whose class and register tokens are left out. A number is the output of
        that block of a transformer, counted from 1, normalised. Without tensors: the outputs of the graph.
    size
        The longer side of the network's input, in pixels; the frame keeps its proportions. 0: 448, or the size that the
        file declares, if the network computes only with that.
    normalization
        The scaling of colours with which the network was trained: "imagenet", "clip", "signed" ([-1, 1]) or "unit"
        ([0, 1]).

    Raises
    ------
    DataError
        The file cannot be read, or is not that of an encoder.
    UsageError
        It has no such tensor.
    """
    return _OnnxEncoder(os.fspath(file), size, normalization)


@checked
def from_torch(
    module: Any,
    function: Optional[Callable[[Any, Any], Any]] = None,
    *,
    patch: int = 0,
    size: int = 0,
    normalization: str = "imagenet",
    name: Optional[str] = None,
) -> Encoder:
    """An encoder that PyTorch runs, on the device of the module.

    Parameters
    ----------
    module
        A torch.nn.Module.
    function
        Called with the module and its input, (1, 3, rows, columns); returns a tensor, or several, of maps or tokens as in
        `from_onnx`. None: the module's own output, or its ``last_hidden_state``.
    patch
        The side of a transformer's patches, in pixels; 0: the module's ``patch_size``, or else the input is a multiple of
        32 pixels.
    size, normalization
        As in `from_onnx`.
    name
        The name of the encoder in models; None: the class of the module.
    """
    torch = require("torch", "this encoder")
    if not isinstance(module, torch.nn.Module):
        raise UsageError(f"module is {a_type(module)}; pass a torch.nn.Module")
    return _TorchEncoder(module, function, patch or _patch_of(module), size, normalization, name)


def _patch_of(module: Any) -> int:
    """The side of the patches of a transformer, as timm, transformers and DINOv2's own code name it."""
    for place in (module, getattr(module, "config", None), getattr(module, "patch_embed", None)):
        side = getattr(place, "patch_size", None)
        if side:
            return side if isinstance(side, int) else side[0]
    return DEFAULT_STRIDE


class _TorchEncoder:
    """Runs a module of PyTorch. See `from_torch`."""

    def __init__(
        self, module: Any, function: Optional[Callable[[Any, Any], Any]], patch: int, size: int, normalization: str, name: Optional[str]
    ) -> None:
        _check(size, normalization)
        self._module, self._function, self._patch = module, function or _output, patch
        self._size, self._normalization = size or DEFAULT_SIZE, normalization
        self.name = type(module).__name__ if name is None else name

    def __call__(self, color: Optional[np.ndarray], depth: Optional[np.ndarray] = None) -> np.ndarray:
        if color is None:
            raise DataError(f"{self.name}: the frame has no colour, which the encoder sees; pass colour")
        torch = sys.modules["torch"]
        size = _input_size(color, self._size, self._patch)
        tensor = torch.from_numpy(_input(color, size, self._normalization))
        first = next(self._module.parameters(), None)
        with torch.inference_mode():
            found = self._function(self._module, tensor if first is None else tensor.to(first))
        tensors = found if isinstance(found, (tuple, list)) else [found]
        return _together([_maps(t.float().cpu().numpy(), size, self._patch, self.name) for t in tensors])


def _output(module: Any, tensor: Any) -> Any:
    found = module(tensor)
    return getattr(found, "last_hidden_state", found)


def native_encoder(encoder: Encoder, keep: bool = True) -> _fernwood.Encoder:
    """The library's object of an encoder. `keep`: maps of an ONNX file are kept in the cache folder."""
    if isinstance(encoder, (str, os.PathLike)):
        encoder = from_onnx(encoder)
    elif "torch" in sys.modules and isinstance(encoder, sys.modules["torch"].nn.Module):
        encoder = from_torch(encoder)
    if not callable(encoder):
        raise UsageError(f"encoder is {a_type(encoder)}; pass an ONNX file, a torch.nn.Module, or a function of color and depth")
    name = getattr(encoder, "name", None) or f"{encoder.__module__}.{getattr(encoder, '__qualname__', type(encoder).__qualname__)}"
    options = json.dumps(getattr(encoder, "options", {}))
    return _fernwood.Encoder(encoder, name, getattr(encoder, "checksum", ""), options, keep)


def encoder_of(forest: _fernwood.Forest, encoder: Optional[Encoder], keep: bool = True) -> Optional[_fernwood.Encoder]:
    """The library's object of the encoder of a forest's maps: the given one, else the file with which it was trained.
    None: it needs none, or maps must be given."""
    if encoder is None:
        stored = forest.encoder()
        if stored is None or not stored[1]:
            return None
        encoder = _StoredEncoder(*stored)
    native = native_encoder(encoder, keep)
    forest.check_encoder(native)
    return native


class _StoredEncoder:
    """The encoder that a model names; its file is opened for the first frame whose maps are neither given nor kept."""

    def __init__(self, name: str, checksum: str, options: str) -> None:
        self.name, self.checksum, self.options = name, checksum, json.loads(options)
        self._opened: Any = None

    def __call__(self, color: Optional[np.ndarray], depth: Optional[np.ndarray]) -> np.ndarray:
        if self._opened is None:
            options = dict(self.options)
            try:
                opened: Any = from_onnx(options.pop("encoder"), **options)
            except DataError as failure:
                raise DataError(f"the model needs the encoder {self.name}: {failure}, or use encoder=") from failure
            if opened.checksum != self.checksum:
                raise ModelError(
                    f"the model was trained with the encoder {self.name} of checksum {self.checksum}, and "
                    f"{self.options['encoder']} has {opened.checksum}; pass the one of the training as encoder="
                )
            self._opened = opened
        return self._opened(color, depth)


def encoded(
    dataset: _fernwood.Dataset, encoder: Optional[Encoder], forest: Optional[_fernwood.Forest] = None
) -> _fernwood.Dataset:
    """The library's data set with the maps of an encoder, if one is given or `forest` needs one."""
    if encoder is None and (forest is None or dataset.num_maps() > 0):
        return dataset
    native = native_encoder(encoder) if forest is None else encoder_of(forest, encoder)
    return dataset if native is None else dataset.with_encoder(native)
