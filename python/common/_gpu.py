# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""CUDA streams, and arrays of other libraries in GPU memory."""

from __future__ import annotations

import sys
from typing import Any, Optional

import numpy as np

#: DLPack's device type for memory of an NVIDIA GPU.
_CUDA = 2
#: DLPack's number for CUDA's default stream, whose handle is 0.
_DEFAULT_STREAM = 1


def device_of(array: Any) -> Optional[str]:
    """ "cuda:N" for an array in GPU memory; None for all other objects."""
    if type(array) is np.ndarray or not hasattr(array, "__dlpack_device__"):
        return None
    kind, number = array.__dlpack_device__()
    return f"cuda:{number}" if kind == _CUDA else None


def stream_for(color: Any, depth: Any, stream: Any) -> int:
    """The handle (a cudaStream_t) of the stream for work on arrays of a GPU.

    Parameters
    ----------
    color, depth
        Arrays of one GPU; one of them may be None.
    stream
        A stream of torch or CuPy, or the handle of one. None: the current stream of the arrays' library, which needs
        no synchronisation, or else the default stream. The default stream, and a stream passed here, wait for pending
        writes to the arrays, by the protocol of DLPack.
    """
    arrays = [array for array in (color, depth) if array is not None]
    if stream is None:
        current = _current_stream(arrays[0])
        if current is not None:
            return current
    handle = _handle_of(stream)
    for array in arrays:
        if hasattr(array, "__dlpack__"):
            array.__dlpack__(stream=handle or _DEFAULT_STREAM)
    return handle


def like(answer: Any, array: Any) -> Any:
    """Converts an array that supports DLPack to the library of another array, if that is torch or CuPy."""
    library = _library_of(array)
    return answer if library is None else library.from_dlpack(answer)


def _library_of(array: Any) -> Any:
    for name, type_name in (("torch", "Tensor"), ("cupy", "ndarray")):
        library = sys.modules.get(name)
        if library is not None and isinstance(array, getattr(library, type_name)):
            return library
    return None


def _current_stream(array: Any) -> Optional[int]:
    library = _library_of(array)
    if library is None:
        return None
    if library.__name__ == "torch":
        return library.cuda.current_stream(array.device).cuda_stream
    with array.device:
        return library.cuda.get_current_stream().ptr


def _handle_of(stream: Any) -> int:
    if stream is None:
        return 0
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    if isinstance(stream, int) and stream >= 0:
        return 0 if stream == _DEFAULT_STREAM else stream
    from .errors import UsageError

    raise UsageError(f"stream is {stream!r}; pass a stream of torch or CuPy, the handle of one, or None")
