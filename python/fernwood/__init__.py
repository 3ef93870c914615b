# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Forests that label RGB-D frames, tables and streams, on CPU and NVIDIA GPU."""

from . import errors, records
from ._fernwood import available_devices, version
from .errors import FernwoodError

__version__ = version()

__all__ = ["FernwoodError", "available_devices", "errors", "records"]
