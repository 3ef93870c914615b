# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Arrays that claim to be on a GPU."""

import ctypes

import numpy as np

CUDA, CUDA_MANAGED = 2, 13
CODES = {"i": 0, "u": 1, "f": 2}


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _ManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class ArrayElsewhere:
    """Claims through DLPack that host memory is on a GPU; the tested refusals happen before the memory is accessed."""

    def __init__(self, array: np.ndarray, gpu: int = 0, device_type: int = CUDA) -> None:
        self.array, self.gpu, self.device_type = array, gpu, device_type
        self.streams: list = []
        self.lent: list = []  # a consumer of the capsule reads it as long as the array exists

    def __dlpack_device__(self):
        return self.device_type, self.gpu

    def __dlpack__(self, *, stream=None, **_):
        self.streams.append(stream)
        array = self.array
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        strides = (ctypes.c_int64 * array.ndim)(*(step // array.itemsize for step in array.strides))
        managed = _ManagedTensor()
        managed.tensor = _Tensor(
            array.ctypes.data, self.device_type, self.gpu, array.ndim, CODES[array.dtype.kind], 8 * array.itemsize, 1,
            shape, strides, 0
        )
        self.lent.append(managed)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(managed), b"dltensor", None)


def there(array, gpu=0):
    return ArrayElsewhere(np.ascontiguousarray(array), gpu)
