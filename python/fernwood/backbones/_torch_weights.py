# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""The arrays of a state_dict() that PyTorch's torch.save() wrote, read without PyTorch.

Pickles are programs. Only instructions that build dictionaries of arrays are accepted here, and functions that a file
names are never called. Imports the standard library only, because builds of fernwood run it (backbones/weights.py).
"""

from __future__ import annotations

import io
import math
import pickle
import pickletools
import struct
import zipfile
from array import array
from collections.abc import Callable
from typing import Any, NamedTuple

#: Formats of the module struct.
_TYPES = {
    "FloatStorage": "f",
    "DoubleStorage": "d",
    "HalfStorage": "e",
    "BFloat16Storage": "H",  # the upper half of a float
    "LongStorage": "q",
    "IntStorage": "i",
}
_INSTRUCTIONS = frozenset(
    "PROTO FRAME MARK STOP NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 BINUNICODE SHORT_BINUNICODE EMPTY_TUPLE "
    "TUPLE TUPLE1 TUPLE2 TUPLE3 EMPTY_LIST APPEND APPENDS EMPTY_DICT SETITEM SETITEMS BINPUT LONG_BINPUT MEMOIZE "
    "BINGET LONG_BINGET GLOBAL STACK_GLOBAL REDUCE BUILD BINPERSID".split()
)
#: Maximum number of instructions of a pickle: no state dictionary has more, and a million nested tuples crash Python.
_MOST_INSTRUCTIONS = 1 << 16
_LEGACY_MAGIC = 0x1950A86A20F9469CFC6C
_REMEDY = "use a file that torch.save() wrote of a state_dict()"


class Weights(NamedTuple):
    """An array of weights."""

    shape: tuple[int, ...]
    values: array[float]  #: Of 32 bits; the last dimension varies fastest.


def read_torch_weights(content: bytes, path: str) -> dict[str, Weights]:
    """The arrays as floats, from either format: a ZIP archive (since PyTorch 1.6), or several pickles in sequence.

    `path` is for messages, of a ValueError. The memory needed is in proportion to the file.
    """
    try:
        return _archived(content) if content[:2] == b"PK" else _legacy(content)
    except _Refusal as refusal:
        raise ValueError(f"{path} {refusal}") from None
    except Exception as error:  # pickle and zipfile document no complete list
        raise ValueError(f"{path} is damaged, or no file of torch.save(); get it again, or {_REMEDY}") from error


class _Refusal(Exception):
    """The part of a sentence after the name of the file."""


class _Dict(dict):
    """An OrderedDict of a file, without attributes."""

    __slots__ = ()

    def __setstate__(self, state: object) -> None:
        """Ignores attributes."""


class _Tensor(NamedTuple):
    storage: tuple[Any, ...]
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class _Unpickler(pickle.Unpickler):
    """Reads the next pickle of a file. All that find_class() returns is immutable or made anew."""

    def __init__(self, file: io.BytesIO) -> None:
        start = file.tell()
        for count, (instruction, argument, _) in enumerate(pickletools.genops(file)):
            if instruction.name not in _INSTRUCTIONS:
                raise _Refusal(f"has a pickle with the instruction {instruction.name}; {_REMEDY}")
            if count >= _MOST_INSTRUCTIONS or (instruction.name == "LONG_BINPUT" and argument >= _MOST_INSTRUCTIONS):
                raise _Refusal(f"has a pickle of more than {_MOST_INSTRUCTIONS} instructions; {_REMEDY}")
        file.seek(start)
        super().__init__(file)

    def find_class(self, module: str, name: str) -> Any:
        if module == "torch" and name in _TYPES:
            return name
        if (module, name) == ("collections", "OrderedDict"):
            return lambda *items: _Dict(*items)
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return lambda storage, offset, shape, strides, *_: _Tensor(storage, offset, shape, strides)
        if (module, name) == ("torch._utils", "_rebuild_parameter"):
            return lambda tensor, *_: tensor
        raise _Refusal(f"names the function {module}.{name}, which no dictionary of weights needs; {_REMEDY}")

    def persistent_load(self, pid: Any) -> Any:
        return pid


def _tensors(root: Any) -> dict[str, _Tensor]:
    inner = root.get("state_dict") if isinstance(root, dict) else None
    entries = inner if isinstance(inner, dict) else root
    if not isinstance(entries, dict):
        raise _Refusal(f"is not a dictionary of weights; {_REMEDY}")
    found = {name: value for name, value in entries.items() if isinstance(value, _Tensor)}
    if not found or not all(isinstance(name, str) and name.isascii() for name in found):
        raise _Refusal(f"is not a dictionary of weights with names; {_REMEDY}")
    return found


def _check_byte_order(is_little_endian: bool) -> None:
    if not is_little_endian:
        raise _Refusal("was written by a big-endian machine; write it again on a little-endian one")


def _archived(content: bytes) -> dict[str, Weights]:
    archive = zipfile.ZipFile(io.BytesIO(content))
    entries = archive.infolist()
    if any(entry.compress_type for entry in entries) or sum(entry.file_size for entry in entries) > len(content):
        raise _Refusal(f"is a compressed archive, which torch.save() does not write; {_REMEDY}")
    names = archive.namelist()
    pickles = [name for name in names if name.endswith("/data.pkl")]
    if not pickles:
        raise _Refusal(f"is an archive without data.pkl; {_REMEDY}")
    folder = pickles[0].removesuffix("data.pkl")
    _check_byte_order(folder + "byteorder" not in names or archive.read(folder + "byteorder") == b"little")
    tensors = _tensors(_Unpickler(io.BytesIO(archive.read(pickles[0]))).load())
    return _arrays(tensors, lambda key: archive.read(f"{folder}data/{key}"), len(content))


def _legacy(content: bytes) -> dict[str, Weights]:
    """Five pickles: a magic number, a version, facts about the system, the dictionary, and the keys of the storages in
    the order in which they follow, each after its count."""
    file = io.BytesIO(content)
    if _Unpickler(file).load() != _LEGACY_MAGIC:
        raise _Refusal(f"is not a file of torch.save(); {_REMEDY}")
    _Unpickler(file).load()
    _check_byte_order(_Unpickler(file).load().get("little_endian", True))
    tensors = _tensors(_Unpickler(file).load())
    counts = {tensor.storage[2]: (tensor.storage[1], tensor.storage[4]) for tensor in tensors.values()}
    storages = {}
    for key in _Unpickler(file).load():
        kind, count = counts[key]
        if struct.unpack("<q", file.read(8))[0] != count:
            raise ValueError(f"another count of {key}")
        storages[key] = file.read(count * struct.calcsize(_TYPES[kind]))
    return _arrays(tensors, storages.__getitem__, len(content))


def _arrays(tensors: dict[str, _Tensor], storage: Callable[[str], bytes], most: int) -> dict[str, Weights]:
    """`most`: numbers of all arrays. They may share numbers, but a small file must not become a large dictionary."""
    arrays = {}
    for name, (stored, offset, shape, strides) in tensors.items():
        _, kind, key, *_ = stored
        numbers = _floats(storage(key), kind)
        size = math.prod(shape)
        most -= size
        last = offset + sum((length - 1) * stride for length, stride in zip(shape, strides, strict=True))
        if min((offset, most, *shape, *strides)) < 0 or (size > 0 and last >= len(numbers)):
            raise ValueError(f"{name} leaves its numbers")
        arrays[name] = Weights(tuple(shape), _picked(numbers, offset, shape, strides) if size > 0 else array("f"))
    return arrays


def _floats(content: bytes, kind: str) -> array[float]:
    code = _TYPES[kind]
    count = len(content) // struct.calcsize(code)
    values = struct.unpack(f"<{count}{code}", content)
    if kind == "BFloat16Storage":
        values = struct.unpack(f"<{count}f", struct.pack(f"<{count}I", *(value << 16 for value in values)))
    return array("f", values)


def _picked(numbers: array[float], offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> array[float]:
    size, dense = 1, []
    for length in reversed(shape):
        dense.insert(0, size)
        size *= length
    if all(length == 1 or a == b for length, a, b in zip(shape, strides, dense, strict=True)):
        return numbers[offset : offset + size]
    places = [offset]
    for length, stride in zip(shape, strides, strict=True):
        places = [place + i * stride for place in places for i in range(length)]
    return array("f", (numbers[place] for place in places))
