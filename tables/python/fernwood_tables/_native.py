# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""What the helpers in python/common, which this package contains, need of its extension module."""

from ._fernwood_tables import Report as Report
from ._fernwood_tables import usable_threads as usable_threads
from ._fernwood_tables import write_text as write_text
