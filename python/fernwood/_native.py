# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""What the helpers in python/common, which this package contains, need of its extension module."""

from ._fernwood import Report as Report
from ._fernwood import usable_threads as usable_threads
from ._fernwood import write_text as write_text
