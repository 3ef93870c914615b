# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""``python -m PACKAGE`` runs the package's program."""

from importlib import import_module

import_module(f"_{__package__}_program").main()
